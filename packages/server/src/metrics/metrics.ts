// SPDX-License-Identifier: Apache-2.0
/** `/metrics` in the Prometheus text format: the process, the Kubernetes API, watches, health checks, sensors, records. Labels are low in cardinality but `endpoint`. */
import type {DocumentRoute, Fairness, LoginLimit, Queues, Services, UnreadAnswers} from '@palisade/apiserver';
import type {SuricataSensorHost} from '@palisade/sensor';
import {PROGRAM_VERSION} from '@palisade/store';
import {Counter, Gauge, Registry} from 'prom-client';
import {answerText} from '../port/answer-text.ts';
import {isIdsPath} from '../port/api-errors.ts';
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import {type ShownApi, showApi} from './api-metrics.ts';
import {type ShownAudit, showAudit} from './audit-metrics.ts';
import {type ShownBackups, showBackups} from './backup-metrics.ts';
import {type ShownChecks, showChecks} from './check-metrics.ts';
import {type ShownSessions, showSessions} from './console-metrics.ts';
import {type ShownExporters, showExporters} from './export-metrics.ts';
import {showFairness} from './fairness-metrics.ts';
import {Handshakes, type ShownCertificates, showCertificates, showHandshakes} from './listener-metrics.ts';
import {type ShownOidc, showOidc} from './oidc-metrics.ts';
import {showNode, showProcess} from './process-metrics.ts';
import {showQueues} from './queue-metrics.ts';
import {type RecordWrites, type ShownRecords, showRecords} from './record-metrics.ts';
import {type ShownRights, showRights} from './right-metrics.ts';
import {type ShownSensors, showSensors} from './sensor-metrics.ts';
import {type ShownStore, showStore} from './store-metrics.ts';

export type Metrics = {
  /** Below the Kubernetes side's authorization: who may GET /metrics is a rule for the path. */
  readonly document: DocumentRoute;
  /** The same without authorization, for a server that is open to its machine and serves no Kubernetes side. */
  open(request: AnyRequest, response: AnyResponse): Promise<void>;
  /** Counts the answers of a handler. */
  counted<Q extends CountedRequest, S extends CountedResponse>(
    handler: (request: Q, response: S) => void,
  ): (request: Q, response: S) => void;
  /** TLS handshakes, which the ports count. */
  readonly handshakes: Handshakes;
  /** Shows the requests, watch events and objects of the Kubernetes side from now on. */
  showApi(api: ShownApi): void;
  /** Shows until when the certificates are valid. */
  showCertificates(ends: ShownCertificates): void;
  /** Shows the answers that wait for their clients from now on. */
  showUnread(unread: UnreadAnswers): void;
  /** Shows failed logins from now on. */
  showLogins(counts: LoginLimit['counts']): void;
  /** Shows the sessions of the console from now on. */
  showSessions(sessions: ShownSessions): void;
  /** Shows the queues of controllers from now on. */
  showQueues(queues: Queues): void;
  /** Shows who waits for seats from now on. */
  showFairness(fairness: Fairness): void;
  /** Shows whether the store takes writes, the room of its file, and its history. */
  showStore(store: ShownStore): void;
  /** Shows the watches of the Kubernetes side from now on. */
  showWatches(watches: Services['watchers']): void;
  /** Shows the rights that open streams depend on from now on. */
  showRights(rights: ShownRights): void;
  /** Shows the health checks of members from now on. */
  showChecks(checks: ShownChecks): void;
  /** Shows the fetches of the OIDC issuer's keys from now on. */
  showOidc(oidc: ShownOidc): void;
  /** Shows the sensors of a host and its rules from now on. */
  showSensors(host: ShownSensors & ShownRules): void;
  /** Shows what sensors write and retention drops from now on. */
  showRecords(records: ShownRecords, writes: RecordWrites): void;
  /** Shows the exporters from now on. */
  showExporters(exporters: ShownExporters): void;
  /** Shows what became of audit events from now on. */
  showAudit(audit: ShownAudit): void;
  /** Shows scheduled backups from now on. */
  showBackups(backups: ShownBackups): void;
};

/** Methods that have a series of their own; a client may send any word. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const methodOf = (method: string | undefined): string => (METHODS.has(method ?? '') ? (method ?? '') : 'other');

const sideOf = (url: string): string => {
  if (isIdsPath(url)) return 'ids';
  if (url.startsWith('/google.')) return 'grpc';
  return /^\/console(\/|\?|$)/.test(url) ? 'console' : 'kubernetes';
};

type CountedRequest = {readonly url?: string | undefined; readonly method?: string | undefined};
type CountedResponse = {readonly statusCode: number; once(event: 'finish', action: () => void): unknown};
type AnswerLabels = {readonly side: string; readonly method: string; readonly code: number};

/** Calls `count` for every answer that was sent. */
export const countAnswers = <Q extends CountedRequest, S extends CountedResponse>(
  count: (labels: AnswerLabels) => void,
  handler: (request: Q, response: S) => void,
): ((request: Q, response: S) => void) => {
  return (request, response) => {
    const method = methodOf(request.method);
    // The router may have cut the target down to its path.
    response.once('finish', () => count({side: sideOf(request.url ?? '/'), method, code: response.statusCode}));
    return handler(request, response);
  };
};

/** A count for each combination of labels; a counter of the library would look at all labels again for every answer. */
class AnswerCounts {
  readonly #counts = new Map<string, {readonly labels: AnswerLabels; count: number}>();

  add(labels: AnswerLabels): void {
    const key = `${labels.side} ${labels.method} ${labels.code}`;
    const known = this.#counts.get(key);
    if (known === undefined) this.#counts.set(key, {labels, count: 1});
    else known.count++;
  }

  all(): Iterable<{readonly labels: AnswerLabels; readonly count: number}> {
    return this.#counts.values();
  }
}

/** As kube-apiserver says it: the names need no escaping. */
const headersOf = (registry: Registry): Readonly<Record<string, string>> => ({
  'content-type': `${registry.contentType}; escaping=underscores`,
  'cache-control': 'no-cache, private',
});

const showAnswers = (answers: AnswerCounts, registers: Registry[]): void => {
  new Counter({
    name: 'palisade_http_requests_total',
    help: 'HTTP responses, by API side, method and status code.',
    labelNames: ['side', 'method', 'code'],
    registers,
    collect() {
      this.reset();
      for (const {labels, count} of answers.all()) this.inc(labels, count);
    },
  });
};

const showUnread = (unread: UnreadAnswers, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_unread_answers_bytes',
    help: 'Bytes of responses not yet read by clients and of request bodies not yet complete.',
    registers,
    collect() {
      this.set(unread.bytes);
    },
  });
  new Counter({
    name: 'palisade_unread_answers_ended_total',
    help: 'Requests ended because the client neither read nor sent data.',
    registers,
    collect() {
      this.reset();
      this.inc(unread.ended);
    },
  });
};

const showLogins = (counts: LoginLimit['counts'], registers: Registry[]): void => {
  new Counter({
    name: 'palisade_failed_logins_total',
    help: 'Failed logins: refused credentials, and those beyond the limit of an address.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(counts)) this.inc({reason}, count);
    },
  });
};

const showWatches = (watches: Services['watchers'], registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_watches',
    help: 'Open watches, and watches blocked by a slow reader.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({state: 'open'}, watches.count);
      this.set({state: 'blocked'}, watches.blocked);
    },
  });
  new Counter({
    name: 'palisade_watches_ended_total',
    help: 'Ended watches, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(watches.ended)) this.inc({reason}, count);
    },
  });
};

type ShownRules = Pick<SuricataSensorHost, 'ruleSets'>;

const showRules = (host: ShownRules, registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_rules',
    help: 'Enabled rules of the active version of a rule set: loaded, refused, or skipped by Suricata.',
    labelNames: ['set', 'state'],
    registers,
    collect() {
      this.reset();
      for (const {ruleSetId: set, rulesActive, rulesRefused, rulesSkipped} of host.ruleSets()) {
        this.set({set, state: 'loaded'}, rulesActive);
        this.set({set, state: 'refused'}, rulesRefused);
        this.set({set, state: 'skipped'}, rulesSkipped);
      }
    },
  });
  new Gauge({
    name: 'palisade_rule_set_refused',
    help: '1 if the newest version of a rule set was refused and an older one, or no rule set, is active.',
    labelNames: ['set'],
    registers,
    collect() {
      this.reset();
      for (const {ruleSetId: set, refused} of host.ruleSets()) this.set({set}, refused === '' ? 0 : 1);
    },
  });
};

const showVersion = (registers: Registry[]): void => {
  new Gauge({
    name: 'palisade_build_info',
    help: '1, with the version of Palisade and of Node.',
    labelNames: ['version', 'node'],
    registers,
    collect() {
      this.set({version: PROGRAM_VERSION, node: process.versions.node}, 1);
    },
  });
};

/** `node`: with the internals of Node, which take CPU time also when nobody reads them. */
export const createMetrics = ({node = false}: {readonly node?: boolean} = {}): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  if (node) showNode(registry);
  showProcess(registers);
  showVersion(registers);
  const handshakes = new Handshakes();
  showHandshakes(handshakes, registers);
  const answers = new AnswerCounts();
  showAnswers(answers, registers);
  return {
    document: async ({info, method, response}) => {
      if (info.path !== '/metrics') return false;
      const counts = method !== 'DELETE'; // upstream sets its metrics to 0 for a DELETE and answers every other method with them
      answerText(response, counts ? 200 : 405, headersOf(registry), counts ? await registry.metrics() : '');
      return true;
    },
    open: async (_request, response) => answerText(response, 200, headersOf(registry), await registry.metrics()),
    counted: handler => countAnswers(labels => answers.add(labels), handler),
    handshakes,
    showApi: api => showApi(api, registers),
    showCertificates: ends => showCertificates(ends, registers),
    showUnread: unread => showUnread(unread, registers),
    showLogins: counts => showLogins(counts, registers),
    showSessions: sessions => showSessions(sessions, registers),
    showQueues: queues => showQueues(queues, registers),
    showFairness: fairness => showFairness(fairness, registers),
    showStore: store => showStore(store, registers),
    showWatches: watches => showWatches(watches, registers),
    showRights: rights => showRights(rights, registers),
    showChecks: checks => showChecks(checks, registers),
    showOidc: oidc => showOidc(oidc, registers),
    showSensors: host => {
      showSensors(host, registers);
      showRules(host, registers);
    },
    showRecords: (records, writes) => showRecords(records, writes, registers),
    showExporters: exporters => showExporters(exporters, registers),
    showAudit: audit => showAudit(audit, registers),
    showBackups: backups => showBackups(backups, registers),
  };
};
