// SPDX-License-Identifier: Apache-2.0
/**
 * Content negotiation in the two steps that clients of kube-apiserver see: first the route's list of media types (a plain 406
 * before anything else happens), then the parameters (as, g, v, stream, pretty), which have an error of their own.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/negotiation/negotiate.go; go-restful v3 route.go matchesAccept.
 */

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
  readonly params: ReadonlyMap<string, string>;
  readonly q: number;
  readonly order: number;
};

const ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];
const PLAIN_JSON: OutputMediaType = {encoding: 'json', transform: undefined, pretty: false};

const parseClause = (text: string, order: number): Clause => {
  const [type = '', ...parameters] = text.split(';');
  const params = new Map<string, string>();
  let q = 1;
  for (const parameter of parameters) {
    const at = parameter.indexOf('=');
    if (at < 0) continue;
    const name = parameter.slice(0, at).trim();
    const value = parameter.slice(at + 1).trim();
    if (name === 'q') q = Number.isNaN(Number.parseFloat(value)) ? 1 : Number.parseFloat(value);
    else params.set(name, value);
  }
  return {type: type.trim(), params, q, order};
};

/** By quality, then exact types before wildcards, then as written. */
const byPreference = (a: Clause, b: Clause): number =>
  b.q - a.q ||
  Number(a.type.startsWith('*')) - Number(b.type.startsWith('*')) ||
  Number(a.type.endsWith('*')) - Number(b.type.endsWith('*')) ||
  a.order - b.order;

/** The route's step: some clause names one of the types literally or is the full wildcard. */
export const routeAccepts = (accept: string | undefined, produces: readonly string[]): boolean => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return true;
  return accept.split(',').some(clause => {
    const semicolon = clause.indexOf(';');
    const type = (semicolon < 0 ? clause : clause.slice(0, semicolon)).trim();
    return type === '*/*' || produces.includes(type);
  });
};

const toTransform = (params: ReadonlyMap<string, string>, encoding: Encoding): Transform | undefined | 'refused' => {
  const kind = params.get('as');
  if (kind === undefined && !params.has('g') && !params.has('v')) return undefined;
  const version = params.get('v') ?? '';
  if (params.get('g') !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return 'refused';
  if (kind === 'Table') return encoding === 'protobuf' ? 'refused' : {kind, version};
  if (kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList') return {kind, version};
  return 'refused';
};

const acceptClause = (clause: Clause, encoding: Encoding): OutputMediaType | undefined => {
  const stream = clause.params.get('stream');
  if (stream !== undefined && stream !== '' && (stream !== 'watch' || encoding === 'yaml')) return undefined;
  const transform = toTransform(clause.params, encoding);
  if (transform === 'refused') return undefined;
  return {encoding, transform, pretty: clause.params.get('pretty') === '1'};
};

const clauseCovers = (clause: Clause, mediaType: string): boolean =>
  clause.type === mediaType || clause.type === '*/*' || clause.type === 'application/*';

/** The parameters' step. Undefined: nothing acceptable, which is 406 with `notAcceptableMessage`. */
export const negotiateOutput = (
  accept: string | undefined,
  offered: readonly Encoding[] = ENCODINGS,
): OutputMediaType | undefined => {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return PLAIN_JSON;
  const clauses = accept.split(',').map(parseClause).sort(byPreference);
  for (const clause of clauses) {
    for (const encoding of offered) {
      if (!clauseCovers(clause, MEDIA_TYPE[encoding])) continue;
      const output = acceptClause(clause, encoding);
      if (output !== undefined) return output;
    }
  }
  return undefined;
};

/** Encodings that can stream watch events. */
export const STREAM_ENCODINGS: readonly Encoding[] = ['json', 'protobuf'];

export const offeredText = (offered: readonly Encoding[], stream: boolean): string =>
  offered.map(encoding => `${MEDIA_TYPE[encoding]}${stream ? ';stream=watch' : ''}`).join(', ');

/** JSON is indented for people: asked for, or a browser or curl that did not ask against it. */
export const wantsPretty = (
  output: OutputMediaType,
  query: string | undefined,
  userAgent: string | undefined,
): boolean => {
  if (query !== undefined)
    return query !== 'false' && query !== '0' && query !== 'False' && query !== 'F' && query !== 'f';
  if (output.pretty) return true;
  return userAgent !== undefined && /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
};
