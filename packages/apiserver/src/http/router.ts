// SPDX-License-Identifier: Apache-2.0
/** From what a request asks for to the verb that answers it; refusals here come before any handler runs. */

import type {Answer} from '../answer/answer.ts';
import {
  methodNotAllowed,
  resourceNotServed,
  routeNotAcceptable,
  routeUnsupportedMediaType,
} from '../base/status-error.ts';
import {type KindDefinition, type Subresource, showsObjects, type Verb} from '../kind/kind.ts';
import {MEDIA_TYPE, routeAccepts, routeConsumes} from '../request/accept.ts';
import type {RequestInfo} from '../request/request-info.ts';
import {create} from '../verbs/create.ts';
import {deleteOne} from '../verbs/delete.ts';
import {deleteCollection} from '../verbs/delete-collection.ts';
import {get} from '../verbs/get.ts';
import {list} from '../verbs/list.ts';
import type {RequestContext} from '../verbs/object/request-context.ts';
import {PATCH_TYPES, patch} from '../verbs/patch.ts';
import {update} from '../verbs/update.ts';
import {watch} from '../verbs/watch.ts';

export type Handler = (context: RequestContext) => Answer | Promise<Answer>;

export type Route = {
  readonly kind: KindDefinition;
  /** The kind of the object in the path: another one than `kind` for a question about it. */
  readonly of: KindDefinition;
  readonly verb: Verb;
  readonly handler: Handler;
  /** False: answers of this path are never turned into a Table. */
  readonly hasTable: boolean;
};

const HANDLERS: Record<Verb, Handler> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

const PRODUCES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];
const LIST_PRODUCES = [...PRODUCES, `${MEDIA_TYPE.json};stream=watch`, `${MEDIA_TYPE.protobuf};stream=watch`];

const VERB_BY_METHOD: ReadonlyMap<string, {readonly collection?: Verb; readonly named?: Verb}> = new Map([
  ['GET', {collection: 'list', named: 'get'}],
  ['POST', {collection: 'create'}],
  ['PUT', {named: 'update'}],
  ['PATCH', {named: 'patch'}],
  ['DELETE', {collection: 'deletecollection', named: 'delete'}],
]);

const NAMED_VERBS = [...VERB_BY_METHOD.values()].flatMap(({named}) => named ?? []);

export class Router {
  readonly #byResource = new Map<string, KindDefinition>();
  readonly #groups = new Set<string>(['']);

  constructor(kinds: readonly KindDefinition[]) {
    for (const kind of kinds) {
      this.#byResource.set(`${kind.group}/${kind.version}/${kind.resource}`, kind);
      this.#groups.add(kind.group);
    }
  }

  /** False: not even the group exists, which is a plain 404. */
  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  /** Throws StatusError 404, 405, 406, 415. */
  route(method: string, info: RequestInfo, accept: string | undefined, sentType: string | undefined): Route {
    const kind = this.#byResource.get(`${info.group}/${info.version}/${info.resource}`);
    if (kind === undefined || info.verb === 'proxy' || !isPathOf(kind, info)) throw resourceNotServed();
    const question = kind.questions?.find(({name}) => name === info.subresource);
    if (question !== undefined) return questionRoute(method, info, accept, {of: kind, kind: question.kind});
    const subresource = kind.subresources?.find(({name}) => name === info.subresource);
    if (info.subresource !== '' && subresource === undefined) throw resourceNotServed();
    const verb = verbOf(method, info, kind, subresource);
    const isList = verb === 'list' || verb === 'watch';
    if (verb === 'patch' && !routeConsumes(sentType, PATCH_TYPES)) throw routeUnsupportedMediaType();
    const produces = isList ? LIST_PRODUCES : PRODUCES;
    if (!routeAccepts(accept, produces)) throw routeNotAcceptable(produces);
    const hasTable = showsObjects(kind) && subresource?.hasTable !== false;
    return {kind, of: kind, verb, handler: HANDLERS[verb], hasTable};
  }
}

/** Throws StatusError 404, 405, 406. */
const questionRoute = (
  method: string,
  info: RequestInfo,
  accept: string | undefined,
  kinds: Pick<Route, 'kind' | 'of'>,
): Route => {
  if (info.watchPrefix) throw resourceNotServed();
  if (method !== 'POST') throw methodNotAllowed();
  if (!routeAccepts(accept, PRODUCES)) throw routeNotAcceptable(PRODUCES);
  return {...kinds, verb: 'create', handler: HANDLERS.create, hasTable: false};
};

/** The path has the form that the kind's scope allows. */
const isPathOf = (kind: KindDefinition, info: RequestInfo): boolean => {
  if (info.parts.length > 2 || (info.parts.length > 0 && info.name === '')) return false;
  if (!kind.namespaced) return info.resource === 'namespaces' ? info.namespace === info.name : info.namespace === '';
  return info.name === '' || info.hasNamespace;
};

const verbOf = (
  method: string,
  info: RequestInfo,
  kind: KindDefinition,
  subresource: Subresource | undefined,
): Verb => {
  const verbs = VERB_BY_METHOD.get(method);
  const verb = info.name === '' ? verbs?.collection : verbs?.named;
  if (info.name !== '' && subresource === undefined && !NAMED_VERBS.some(known => kind.verbs.includes(known))) {
    throw resourceNotServed(); // a review has no objects
  }
  const isAllNamespaces = kind.namespaced && !info.hasNamespace;
  if (isAllNamespaces && !kind.verbs.includes('list')) throw resourceNotServed(); // a review of one namespace
  const isWatched = subresource === undefined && kind.verbs.includes('watch');
  if (info.watchPrefix && !isWatched) throw resourceNotServed();
  if (verb === undefined) throw methodNotAllowed();
  if (info.watchPrefix) {
    if (verb !== 'get' && verb !== 'list') throw methodNotAllowed();
    return 'watch';
  }
  if (subresource !== undefined) {
    if (!(subresource.verbs as readonly string[]).includes(verb)) throw methodNotAllowed();
    return verb;
  }
  if (!kind.verbs.includes(verb)) throw methodNotAllowed(kind.whyNotAllowed);
  if (isAllNamespaces && verb !== 'list') throw methodNotAllowed();
  return verb === 'list' && info.verb === 'watch' ? 'watch' : verb;
};
