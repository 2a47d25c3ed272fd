// SPDX-License-Identifier: Apache-2.0
/**
 * Content negotiation in the two steps that clients of kube-apiserver see: first the route's list of media types (a plain 406
 * before anything else happens), then the parameters (as, g, v, stream, pretty), which have an error of their own.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/negotiation/negotiate.go; go-restful v3 route.go matchesAccept.
 */
import {trimOf} from '../base/trim.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

export const MEDIA_TYPE: Record<Encoding, string> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** What the answer is turned into: the object itself, a Table, or its metadata alone. */
export type Transform = {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
};

export type OutputMediaType = {
  readonly encoding: Encoding;
  readonly transform: Transform | undefined;
  readonly pretty: boolean;
};

type Clause = {
  readonly type: string;
  readonly subtype: string;
  readonly params: ReadonlyMap<string, string>;
  readonly q: number;
};

const ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];
const PLAIN_JSON: OutputMediaType = {encoding: 'json', transform: undefined, pretty: false};

/** Clauses of an Accept header that are read; those behind do not count. They are sorted by insertion, before anyone is asked who is there. */
const CLAUSES_MAX = 256;

const trimSpaces = (text: string): string => trimOf(' ', text);

const FLOAT = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Undefined for what is no media type, which does not count. */
const parseClause = (text: string): Clause | undefined => {
  const [range = '', ...parameters] = trimSpaces(text).split(';');
  const [type = '', subtype, ...more] = range.split('/').map(trimSpaces);
  if (more.length > 0 || ((subtype === undefined || subtype === '') && type !== '*')) return undefined;
  const params = new Map<string, string>();
  let q = 1;
  for (const parameter of parameters) {
    const [name = '', value = '', ...rest] = parameter.split('=');
    if (value === '' || rest.length > 0) continue;
    if (trimSpaces(name) === 'q') q = FLOAT.test(value) ? Number(value) : 0;
    else params.set(trimSpaces(name), trimSpaces(value));
  }
  return {type, subtype: subtype === undefined || subtype === '' ? '*' : subtype, params, q};
};

/** Higher quality, or exact where the other has a wildcard: either is enough, so this is no order, and who is compared with whom matters. */
const isBefore = (a: Clause, b: Clause): boolean =>
  a.q > b.q || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');

/** Clauses by preference: the insertion sort that Go uses for short lists. Ref: munnerz/goautoneg ParseAccept. */
const parseAccept = (accept: string): readonly Clause[] => {
  const clauses: Clause[] = [];
  for (const text of accept.split(',', CLAUSES_MAX)) {
    const clause = parseClause(text);
    if (clause === undefined) continue;
    let at = clauses.length;
    while (at > 0 && isBefore(clause, clauses[at - 1] as Clause)) at--;
    clauses.splice(at, 0, clause);
  }
  return clauses;
};

/** Whether there is a media type in the header, of whatever kind; one that is not sent accepts all. */
export const namesTypes = (accept: string | undefined): boolean =>
  accept === undefined || accept === '' || parseAccept(accept).length > 0;

/** The route's step: some clause names one of the types literally or is the full wildcard. */
export const routeAccepts = (accept: string | undefined, produces: readonly string[]): boolean => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return true;
  return accept.split(',').some(clause => {
    const semicolon = clause.indexOf(';');
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim();
    return type === '*/*' || produces.includes(type);
  });
};

/** The route's step for a body: some of the types that the header lists is taken, which is not yet the one that the handler reads. */
export const routeConsumes = (contentType: string | undefined, consumes: readonly string[]): boolean =>
  (contentType ?? '').split(',').some(sent => consumes.includes(trimSpaces(sent.split(';')[0] ?? '')));

const toTransform = (params: ReadonlyMap<string, string>, encoding: Encoding): Transform | undefined | 'refused' => {
  const kind = params.get('as');
  if (kind === undefined && !params.has('g') && !params.has('v')) return undefined;
  const version = params.get('v') ?? '';
  if (params.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return 'refused';
  if (kind === 'Table') return encoding === 'protobuf' ? 'refused' : {kind, version};
  if (kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList') return {kind, version};
  return 'refused';
};

/** No other stream than that of a watch, and no version of the server (`sv`) can be asked for. */
const isServed = (params: ReadonlyMap<string, string>, encoding: Encoding): boolean => {
  const stream = params.get('stream') ?? '';
  return (stream === '' || (stream === 'watch' && encoding !== 'yaml')) && (params.get('sv') ?? '') === '';
};

const acceptParams = (params: ReadonlyMap<string, string>, encoding: Encoding): OutputMediaType | undefined => {
  if (!isServed(params, encoding)) return undefined;
  const transform = toTransform(params, encoding);
  if (transform === 'refused') return undefined;
  return {encoding, transform, pretty: params.get('pretty') === '1'};
};

const clauseCovers = (clause: Clause, mediaType: string): boolean => {
  if (clause.subtype === '*') return clause.type === '*' || mediaType.startsWith(`${clause.type}/`);
  return `${clause.type}/${clause.subtype}` === mediaType;
};

/** What `choose` makes of the first clause and encoding that it takes. Without a header the first encoding is offered, without parameters. */
export const negotiate = <T, E extends string>(
  accept: string | undefined,
  offered: readonly (readonly [E, string])[],
  choose: (params: ReadonlyMap<string, string>, encoding: E) => T | undefined,
): T | undefined => {
  const [first] = offered;
  if ((accept === undefined || accept.trim() === '') && first !== undefined) return choose(new Map(), first[0]);
  for (const clause of parseAccept(accept ?? '')) {
    for (const [encoding, mediaType] of offered) {
      const chosen = clauseCovers(clause, mediaType) ? choose(clause.params, encoding) : undefined;
      if (chosen !== undefined) return chosen;
    }
  }
  return undefined;
};

const OFFERED = ENCODINGS.map(encoding => [encoding, MEDIA_TYPE[encoding]] as const);

/** The parameters' step. Undefined: nothing acceptable, which is 406 with `notAcceptableMessage`. What is not stored has no Table. */
export const negotiateOutput = (accept: string | undefined, hasTable = true): OutputMediaType | undefined => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return PLAIN_JSON;
  return negotiate(accept, OFFERED, (params, encoding) => {
    const output = acceptParams(params, encoding);
    return output?.transform?.kind === 'Table' && !hasTable ? undefined : output;
  });
};

/** `as`, `g` or `v` ask for another form of the answer. */
const asksForForm = (params: ReadonlyMap<string, string>): boolean => ['as', 'g', 'v'].some(name => params.has(name));

/** For what is never transformed (refusals, discovery): clauses that ask for a form do not count. Undefined: no clause is left. */
export const negotiatePlain = (accept: string | undefined): OutputMediaType | undefined =>
  negotiate(accept, OFFERED, (params, encoding) => (asksForForm(params) ? undefined : acceptParams(params, encoding)));

export type DiscoveryMediaType = OutputMediaType & {readonly aggregated: boolean};

/** For /api and /apis, which have a second form: who names it at all gets it, whatever else is preferred. */
export const negotiateDiscovery = (accept: string | undefined): DiscoveryMediaType | undefined => {
  const aggregated = negotiate(accept, OFFERED, (params, encoding) => {
    const form = ['as', 'g', 'v'].map(name => params.get(name)).join();
    if (form !== 'APIGroupDiscoveryList,apidiscovery.k8s.io,v2' || !isServed(params, encoding)) return undefined;
    return {encoding, transform: undefined, pretty: params.get('pretty') === '1', aggregated: true};
  });
  if (aggregated !== undefined) return aggregated;
  const plain = negotiatePlain(accept);
  return plain && {...plain, aggregated: false};
};

/** Encodings that can stream watch events. */
export const STREAM_ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

const TRUE_TEXTS: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** JSON is indented for people: asked for by the media type or by `?pretty=`, or a browser or curl that did not ask against it. */
export const wantsPretty = (
  output: OutputMediaType,
  query: string | undefined,
  userAgent: string | undefined,
): boolean => {
  if (output.pretty) return true;
  if (query !== undefined && query !== '') return TRUE_TEXTS.includes(query);
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
};
