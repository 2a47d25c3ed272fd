// SPDX-License-Identifier: Apache-2.0
/**
 * What a URL and a method ask for. Ref: kubernetes v1.36 staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 * Pure; whether the resource exists is the router's business.
 */

import {trimOf} from '../base/trim.ts';
import {parseListOptions} from './options/list-options.ts';
import {isTrueParameter} from './options/parse-boolean.ts';
import type {Query} from './query.ts';

export type RequestInfo = {
  /** Decoded path, as authorizers and logs see it. */
  readonly path: string;
  readonly isResource: boolean;
  /** get, list, watch, create, update, patch, delete, deletecollection; '' for other methods. Of a non-resource: the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** The path has a segment for the namespace, be it an empty one. */
  readonly hasNamespace: boolean;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What a list or watch is authorized for besides: the name that its field selector demands. */
  readonly selectedName: string;
  /** Segments after the resource: [name, subresource, …]. More than two match nothing. */
  readonly parts: readonly string[];
  /** The old form /api/v1/watch/…: a watch of whatever follows. */
  readonly watchPrefix: boolean;
};

/** Over HTTP/2 a method may be any word. */
const VERB_BY_METHOD: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);

const nonResource = (path: string, method: string): RequestInfo => ({
  path,
  isResource: false,
  verb: method.toLowerCase(),
  group: '',
  version: '',
  namespace: '',
  hasNamespace: false,
  resource: '',
  subresource: '',
  name: '',
  selectedName: '',
  parts: [],
  watchPrefix: false,
});

/** Verbs that may stand before the resource, the old form of saying what is wanted. */
const SPECIAL_VERBS: readonly string[] = ['proxy', 'watch'];
const NAMESPACE_SUBRESOURCES: readonly string[] = ['status', 'finalize'];

const splitRoot = (path: string): {group: string; version: string; rest: readonly string[]} | undefined => {
  const segments = trimOf('/', path).split('/');
  const [root, first = '', second = ''] = segments;
  if (root === 'api' && segments.length > 2) return {group: '', version: first, rest: segments.slice(2)};
  if (root === 'apis' && segments.length > 3) return {group: first, version: second, rest: segments.slice(3)};
  return undefined;
};

/** `namespaces/{ns}/{resource}/…` is namespaced, `namespaces/{name}[/status|/finalize/…]` is the Namespace itself. */
const splitNamespace = (rest: readonly string[]): {namespace: string; parts: readonly string[]} => {
  const [first, namespace = '', below] = rest;
  if (first !== 'namespaces') return {namespace: '', parts: rest};
  const itself = below === undefined || NAMESPACE_SUBRESOURCES.includes(below);
  return {namespace, parts: itself ? rest : rest.slice(2)};
};

const collectionVerb = (verb: string, query: Query): string => {
  if (verb === 'get') return isTrueParameter(query.get('watch')) ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
};

/** The one name that a field selector lets through; '' when there is none, or when a parameter cannot be read. */
const selectedName = (query: Query): string => {
  if (!query.has('fieldSelector')) return '';
  try {
    const {requirements} = parseListOptions(query).fields;
    const name = requirements.find(({field, operator}) => field === 'metadata.name' && operator === '=')?.value ?? '';
    return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
  } catch {
    return ''; // the verb itself refuses the request, with the right words
  }
};

/** Undefined: a special verb with nothing behind it. */
export const parseRequestInfo = (method: string, path: string, query: Query): RequestInfo | undefined => {
  const root = splitRoot(path);
  if (root === undefined) return nonResource(path, method);
  const [first = '', ...below] = root.rest;
  const special = SPECIAL_VERBS.includes(first) ? first : undefined;
  if (special !== undefined && below.length === 0) return undefined;
  const rest = special === undefined ? root.rest : below;
  const {namespace, parts} = splitNamespace(rest);
  const [resource = '', name = '', subresource = ''] = parts;
  const methodVerb = special ?? VERB_BY_METHOD.get(method) ?? '';
  const verb = name === '' ? collectionVerb(methodVerb, query) : methodVerb;
  return {
    path,
    isResource: true,
    verb,
    group: root.group,
    version: root.version,
    namespace,
    hasNamespace: resource !== 'namespaces' && parts.length < rest.length,
    resource,
    subresource: special === 'proxy' ? '' : subresource,
    name,
    selectedName: name === '' && methodVerb === 'get' ? selectedName(query) : '',
    parts: parts.slice(1),
    watchPrefix: special === 'watch',
  };
};
