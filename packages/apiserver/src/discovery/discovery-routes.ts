// SPDX-License-Identifier: Apache-2.0
/** /api, /apis and what is below them without naming a resource; plain and aggregated. The documents are made once per server address. */
import {createHash} from 'node:crypto';
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  goJson,
  type JsonObject,
  prettyJson,
} from '@palisade/kube-wire';
import {toYaml} from '@palisade/kube-wire/yaml';
import {protobufDocument} from '../answer/protobuf.ts';
import type {Encoded} from '../answer/respond.ts';
import {notAcceptable} from '../base/status-error.ts';
import {digestOf, sameTag, sendTagged} from '../http/etag.ts';
import {authorityOf, headerOf} from '../http/exchange.ts';
import type {DocumentRoute} from '../http/non-resource.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {type Encoding, MEDIA_TYPE, negotiateDiscovery, negotiatePlain, wantsPretty} from '../request/accept.ts';
import {checkReadRoute} from './read-route.ts';

const PRODUCES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];
const AGGREGATED_FORM = ';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Upstream's aggregator serves the aggregated document without the slash only. */
const PLAIN_ONLY = '/apis/';

/** Base64 of eight bytes, as upstream's storage version hash looks. */
const storageHash = (groupVersionKind: string): string =>
  createHash('sha256').update(groupVersionKind).digest().subarray(0, 8).toString('base64');

export const discoveryRoute = (kinds: readonly KindDefinition[]): DocumentRoute => {
  const aggregated = {'/api': aggregatedDiscovery(kinds, 'api'), '/apis': aggregatedDiscovery(kinds, 'apis')};
  const digests = {'/api': digestOf(goJson(aggregated['/api'])), '/apis': digestOf(goJson(aggregated['/apis']))};
  return async (exchange, sendEncoded) => {
    const {info, request} = exchange;
    const path = info.path.replace(/\/+$/, '');
    if (info.path === '/apis//') return false;
    const document = documentAt(kinds, path, authorityOf(request));
    if (document === undefined) return false;
    if (!isAggregatorPath(info.path)) checkReadRoute(exchange, PRODUCES);
    const accept = headerOf(request, 'accept');
    const whole = info.path === PLAIN_ONLY ? undefined : aggregated[path as keyof typeof aggregated];
    const output = whole === undefined ? negotiatePlain(accept) : negotiateDiscovery(accept);
    if (output === undefined) throw notAcceptable(PRODUCES);
    const pretty = wantsPretty(output, exchange.query.get('pretty'), headerOf(request, 'user-agent'));
    if (whole !== undefined && 'aggregated' in output && output.aggregated) {
      const tag = {
        digest: digests[path as keyof typeof digests],
        headers: {'Cache-Control': 'public'},
        conditions: sameTag,
      };
      await sendTagged(exchange, sendEncoded, tag, () => {
        const encoded = encode(whole, output.encoding, pretty);
        return {...encoded, contentType: `${encoded.contentType}${AGGREGATED_FORM}`};
      });
    } else await sendEncoded(encode(document, output.encoding, pretty));
    return true;
  };
};

/** `/apis` and `/apis/GROUP` belong to the aggregator, which asks neither for the method nor for the route's media types. */
const isAggregatorPath = (path: string): boolean => /^\/apis(\/[^/]+)?\/?$/.test(path);

const encode = (document: JsonObject, encoding: Encoding, pretty: boolean): Encoded => {
  if (encoding === 'yaml') return {contentType: MEDIA_TYPE.yaml, pieces: [Buffer.from(toYaml(document))]};
  if (encoding === 'protobuf') return {contentType: MEDIA_TYPE.protobuf, pieces: [protobufDocument(document)]};
  const json = pretty ? prettyJson(goJson(document)) : `${goJson(document)}\n`;
  return {contentType: MEDIA_TYPE.json, pieces: [Buffer.from(json)]};
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
