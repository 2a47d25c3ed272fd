// SPDX-License-Identifier: Apache-2.0
/** /api, /apis and what is below them without naming a resource; plain and aggregated. The documents are made once per server address. */
import {createHash} from 'node:crypto';
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  type JsonObject,
  prettyJson,
} from '@palisade/wire/kube';
import {toYaml} from '../codec/yaml.ts';
import {goJson} from '../go-json.ts';
import {type Encoding, MEDIA_TYPE, negotiateOutput, routeAccepts, wantsPretty} from '../http/accept.ts';
import {headerOf} from '../http/exchange.ts';
import type {DocumentRoute, NonResourceExchange} from '../http/non-resource.ts';
import type {Encoded} from '../http/respond.ts';
import type {KindDefinition} from '../kind.ts';
import {protobufDocument} from '../protobuf.ts';
import {methodNotAllowed, notAcceptable, routeNotAcceptable} from '../status-error.ts';

const PRODUCES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];
const AGGREGATED = {json: `${MEDIA_TYPE.json};g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`};

/** Base64 of eight bytes, as upstream's storage version hash looks. */
const storageHash = (groupVersionKind: string): string =>
  createHash('sha256').update(groupVersionKind).digest().subarray(0, 8).toString('base64');

export const discoveryRoute = (kinds: readonly KindDefinition[]): DocumentRoute => {
  const aggregated = {api: aggregatedDiscovery(kinds, 'api'), apis: aggregatedDiscovery(kinds, 'apis')};
  return async (exchange, sendEncoded) => {
    const {info, request, method} = exchange;
    const path = info.path.endsWith('/') && info.path !== '/' ? info.path.slice(0, -1) : info.path;
    const document = documentAt(kinds, path, headerOf(request, 'host') ?? '');
    if (document === undefined) return false;
    if (method !== 'GET') throw methodNotAllowed();
    const accept = headerOf(request, 'accept');
    if (!routeAccepts(accept, PRODUCES)) throw routeNotAcceptable(PRODUCES);
    const root = path === '/api' ? 'api' : path === '/apis' ? 'apis' : undefined;
    const wanted = root === undefined ? 'plain' : preferred(accept);
    if (wanted === 'aggregated' && root !== undefined) {
      await sendEncoded({contentType: AGGREGATED.json, pieces: [jsonLine(aggregated[root])]});
      return true;
    }
    const output = wanted === 'none' ? undefined : negotiateOutput(withoutForms(accept));
    if (output === undefined) throw notAcceptable(PRODUCES);
    await sendEncoded(encode(document, output.encoding, isPretty(exchange)));
    return true;
  };
};

const isPretty = ({query, request}: NonResourceExchange): boolean =>
  wantsPretty(
    {encoding: 'json', transform: undefined, pretty: false},
    query.get('pretty'),
    headerOf(request, 'user-agent'),
  );

const jsonLine = (document: JsonObject): Buffer => Buffer.from(`${goJson(document)}\n`);

const encode = (document: JsonObject, encoding: Encoding, pretty: boolean): Encoded => {
  if (encoding === 'yaml') return {contentType: MEDIA_TYPE.yaml, pieces: [Buffer.from(toYaml(document))]};
  if (encoding === 'protobuf') return {contentType: MEDIA_TYPE.protobuf, pieces: [protobufDocument(document)]};
  return {
    contentType: MEDIA_TYPE.json,
    pieces: [pretty ? Buffer.from(prettyJson(goJson(document))) : jsonLine(document)],
  };
};

const documentAt = (kinds: readonly KindDefinition[], path: string, host: string): JsonObject | undefined => {
  if (path === '/api') return apiVersions(kinds, host);
  if (path === '/apis') return apiGroupList(kinds);
  const [, root, first = '', second, ...rest] = path.split('/');
  if (rest.length > 0) return undefined;
  if (root === 'api' && second === undefined) return apiResourceList(kinds, {group: '', version: first}, storageHash);
  if (root !== 'apis' || first === '') return undefined;
  return second === undefined
    ? apiGroup(kinds, first)
    : apiResourceList(kinds, {group: first, version: second}, storageHash);
};

/** Which form the Accept header asks for first. A clause for a form that is not served counts as nothing. */
const preferred = (accept: string | undefined): 'aggregated' | 'plain' | 'none' => {
  if (accept === undefined || accept === '') return 'plain';
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map(part => part.trim());
    const form = parameters
      .filter(parameter => /^(as|g|v)=/.test(parameter))
      .sort()
      .join(';');
    if (form === '') return 'plain';
    if (form === 'as=APIGroupDiscoveryList;g=apidiscovery.k8s.io;v=v2' && type === MEDIA_TYPE.json) return 'aggregated';
  }
  return 'none';
};

/** The clauses that ask for no form. */
const withoutForms = (accept: string | undefined): string | undefined =>
  accept
    ?.split(',')
    .filter(clause => !/;\s*(as|g|v)=/.test(clause))
    .join(',');
