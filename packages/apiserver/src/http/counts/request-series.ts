// SPDX-License-Identifier: Apache-2.0
/** The labels of a request in metrics, and what is counted for equal ones. Ref: kubernetes v1.36 apiserver/pkg/endpoints/metrics/metrics.go. */
import {Buckets} from '../../base/buckets.ts';
import type {Verb} from '../../kind/kind.ts';
import type {Query} from '../../request/query.ts';
import type {RequestInfo} from '../../request/request-info.ts';

/** Upper bounds, in seconds. */
export const DURATION_BUCKETS_S = [
  ...[0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60],
];
export const SLI_BUCKETS_S = DURATION_BUCKETS_S.slice(2);
/** Upper bounds, in bytes. */
export const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

export type RequestLabels = {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: string;
};

/** All requests with the same labels. */
export class RequestSeries {
  readonly labels: RequestLabels;
  /** Answers by status code. */
  readonly codes = new Map<number, number>();
  readonly seconds = new Buckets(DURATION_BUCKETS_S);
  /** Without the time in a queue. Upstream has none for dry runs and watches, and sizes only for reads. */
  readonly ownSeconds: Buckets | undefined;
  readonly sizes: Buckets | undefined;
  /** Streams that are open now; undefined: such requests are no streams. */
  open: number | undefined;

  constructor(labels: RequestLabels) {
    const {verb, dry_run} = labels;
    this.labels = labels;
    this.ownSeconds = dry_run === '' && verb !== 'WATCH' ? new Buckets(SLI_BUCKETS_S) : undefined;
    this.sizes = dry_run === '' && (verb === 'GET' || verb === 'LIST') ? new Buckets(SIZE_BUCKETS) : undefined;
    this.open = verb === 'WATCH' ? 0 : undefined;
  }

  countCode(code: number): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }
}

const VERBS: Readonly<Record<Verb, string>> = {
  ...{get: 'GET', list: 'LIST', watch: 'WATCH', create: 'POST', update: 'PUT', patch: 'PATCH'},
  ...{delete: 'DELETE', deletecollection: 'DELETE'},
};

/** Another value than All is refused, and counted as `invalid`. */
const dryRunOf = (query: Query): string => {
  if (!query.has('dryRun')) return '';
  return query.all('dryRun').every(value => value === 'All') ? 'All' : 'invalid';
};

const APPLY_TYPE = 'application/apply-patch+yaml';

const scopeOf = (verb: string, {name, namespace}: RequestInfo): string => {
  if (name !== '' || verb === 'POST') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
};

export type Routed = {
  readonly verb: Verb;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly contentType: string | undefined;
};

const verbOf = ({verb, contentType}: Routed): string =>
  verb === 'patch' && contentType === APPLY_TYPE ? 'APPLY' : VERBS[verb];

/** Of a request for a resource that is served. */
export const labelsOf = (route: Routed): RequestLabels => {
  const {info, query} = route;
  const verb = verbOf(route);
  const {group, version, resource, subresource} = info;
  const scope = scopeOf(verb, info);
  return {verb, dry_run: dryRunOf(query), group, version, resource, subresource, scope, component: 'apiserver'};
};

/** Of a document: the path is in the label of subresources. */
export const labelsOfPath = (path: string): RequestLabels => ({
  ...{verb: 'GET', dry_run: '', group: '', version: '', resource: '', subresource: path, scope: '', component: ''},
});

/** `keyOf(labelsOf(route))`. */
export const routeKey = (route: Routed): string => {
  const {info, query} = route;
  const verb = verbOf(route);
  return `${verb} ${scopeOf(verb, info)} ${dryRunOf(query)} ${info.group}/${info.version}/${info.resource}/${info.subresource}`;
};

export const keyOf = (l: RequestLabels): string =>
  `${l.verb} ${l.scope} ${l.dry_run} ${l.group}/${l.version}/${l.resource}/${l.subresource}`;
