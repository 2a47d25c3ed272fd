// SPDX-License-Identifier: Apache-2.0
/**
 * What a URL and a method ask for. Ref: kubernetes v1.36 staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go.
 * Pure; whether the resource exists is the router's business.
 */

export type RequestInfo = {
  /** Decoded path, as authorizers and logs see it. */
  readonly path: string;
  readonly isResource: boolean;
  /** get, list, watch, create, update, patch, delete, deletecollection, or the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Segments after the resource: [name, subresource, …]. More than two match nothing. */
  readonly parts: readonly string[];
  /** The old form /api/v1/watch/…: a watch of whatever follows. */
  readonly watchPrefix: boolean;
};

const VERB_BY_METHOD: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Decodes a request path; undefined when an escape is broken (400). */
export const decodePath = (raw: string): string | undefined => {
  if (!raw.includes('%')) return raw;
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
};

const nonResource = (path: string, method: string): RequestInfo => ({
  path,
  isResource: false,
  verb: method.toLowerCase(),
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  watchPrefix: false,
});

/** `watch=false|0|False` and an absent parameter are a list; anything else, also empty, is a watch. */
export const isTruthyParameter = (value: string | undefined): boolean =>
  value !== undefined && value !== 'false' && value !== '0' && value !== 'False';

const splitRoot = (path: string): {group: string; version: string; rest: string[]} | undefined => {
  const segments = path.split('/');
  if (segments.length > 1 && segments.at(-1) === '') segments.pop();
  const [, root, first, second] = segments;
  if (root === 'api' && first !== undefined && segments.length > 3) {
    return {group: '', version: first, rest: segments.slice(3)};
  }
  if (root === 'apis' && first !== undefined && second !== undefined && segments.length > 4) {
    return {group: first, version: second, rest: segments.slice(4)};
  }
  return undefined;
};

/** `namespaces/{ns}/{resource}/…` is namespaced, `namespaces/{name}[/status|/finalize]` is the Namespace itself. */
const splitNamespace = (rest: readonly string[]): {namespace: string; parts: readonly string[]} => {
  if (rest[0] === 'namespaces' && rest.length > 1) {
    const [, namespace, ...below] = rest;
    const itself = below.length === 0 || (below.length === 1 && (below[0] === 'status' || below[0] === 'finalize'));
    return itself ? {namespace: namespace ?? '', parts: rest} : {namespace: namespace ?? '', parts: below};
  }
  return {namespace: '', parts: rest};
};

const collectionVerb = (verb: string, watch: boolean): string => {
  if (verb === 'get') return watch ? 'watch' : 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
};

export const parseRequestInfo = (method: string, path: string, watchParameter: string | undefined): RequestInfo => {
  const root = splitRoot(path);
  if (root === undefined) return nonResource(path, method);
  const watchPrefix = root.rest[0] === 'watch' && root.rest.length > 1;
  const {namespace, parts} = splitNamespace(watchPrefix ? root.rest.slice(1) : root.rest);
  const [resource = '', name = '', subresource = ''] = parts;
  const verb = VERB_BY_METHOD[method] ?? method.toLowerCase();
  const named = parts.length > 1;
  return {
    path,
    isResource: true,
    verb:
      watchPrefix && verb === 'get' ? 'watch' : named ? verb : collectionVerb(verb, isTruthyParameter(watchParameter)),
    group: root.group,
    version: root.version,
    namespace,
    resource,
    subresource,
    name,
    parts: parts.slice(1),
    watchPrefix,
  };
};
