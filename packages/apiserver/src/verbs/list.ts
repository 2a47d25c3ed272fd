// SPDX-License-Identifier: Apache-2.0
/**
 * LIST. Without a version it is the newest state, whole or by pages; all pages of one list show one revision.
 * From the cache as long as the cache stands at the wanted revision, else from the store's history.
 * Ref: kubernetes v1.36 apiserver/pkg/storage/cacher/cacher.go GetList, apiserver/pkg/storage/etcd3/store.go.
 */

import {goQuote, nameIsDnsLabel} from '@palisade/kube-wire';
import {hasCode} from '@palisade/store';
import type {ListAnswer} from '../answer/answer.ts';
import {STEPS} from '../base/limits.ts';
import {badRequest, expired, futureVersion, StatusError} from '../base/status-error.ts';
import {type CachedObject, toCachedObject} from '../cache/cached-object.ts';
import {piecesInTurns} from '../cache/watch/in-turns.ts';
import type {Scheduler} from '../cache/watch/scheduler.ts';
import {resourcePrefix} from '../cache/watch-cache.ts';
import {inOwnFormInTurns} from '../registry/own-form.ts';
import {parseSelection, type Selection} from '../registry/selection.ts';
import {decodeContinueToken, encodeContinueToken, keyBehind} from '../request/options/continue-token.ts';
import {
  type ListOptions,
  parseListOptions,
  validateListOptions,
  withDefaults,
} from '../request/options/list-options.ts';
import {uint64Fault} from '../request/options/parse-integer.ts';
import {checkNamespaceKey} from './name-parameter.ts';
import type {RequestContext} from './object/request-context.ts';
import {readableAt} from './wait-for-version.ts';

type Place = {readonly namespace: string; readonly name: string};
type Page = {
  readonly slices: (readonly CachedObject[])[];
  readonly more: boolean;
  readonly remaining: number | undefined;
};
type Read = {
  readonly at: bigint;
  /** The first key that may come, relative to what is listed. */
  readonly from: string | undefined;
  readonly limit: number;
  readonly selection: Selection;
  readonly scope: Scope;
};

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
const VERSION_EXPIRED = 'The resourceVersion for the provided list is too old.';

export const list = (context: RequestContext): Promise<ListAnswer> => {
  const options = withDefaults(parseListOptions(context.query));
  validateListOptions(options);
  return listWith(context, options);
};

/** With options that have been checked. Throws StatusError 400, 410, 504. */
export const listWith = async (context: RequestContext, options: ListOptions): Promise<ListAnswer> => {
  const selection = parseSelection(options, context.kind, context.info, context.services.limits);
  const continues = options.continueToken !== '';
  const scope = scopeOf(context, selection, continues);
  const {at, from} = await (continues ? continuedAt(context, options) : startOf(context, options, scope));
  checkNamespaceKey(context, selection.name);
  const isWhole = options.resourceVersion === '0' && context.kind.uncached !== true; // any version will do: the whole of what is at hand
  const limit = isWhole ? 0 : options.limit;
  return readList(context, {at, from, limit, selection, scope}, continues);
};

const readList = async (context: RequestContext, read: Read, continues: boolean): Promise<ListAnswer> => {
  const isFromHistory = !isCurrent(context, read.at);
  const page = isFromHistory ? await readHistory(context, read, continues) : await readCache(context, read);
  const last = page.slices.at(-1)?.at(-1);
  const token =
    page.more && last !== undefined
      ? encodeContinueToken({revision: read.at, from: keyBehind(relativeKey(read.scope, last))})
      : undefined;
  return {
    type: 'list',
    kind: context.kind,
    slices: await inOwnFormInTurns(context.kind, page.slices, context.services.scheduler),
    isFromHistory: isFromHistory || context.kind.storedAs !== undefined,
    resourceVersion: read.at.toString(),
    continueToken: token,
    remaining: token === undefined ? undefined : page.remaining,
  };
};

/** What is listed. */
type Scope = {
  /** '': all namespaces, or none for kinds without. */
  readonly namespace: string;
  /** The one object that can match: it is looked up, and there are no pages. */
  readonly name: string | undefined;
};

/** A selection of one namespace, or of one name in it, narrows what is listed. */
const scopeOf = ({kind, info, services}: RequestContext, selection: Selection, continues: boolean): Scope => {
  if (!kind.namespaced) return {namespace: '', name: continues ? undefined : selection.name};
  if (continues && !services.compat.keepSelectedNamespaceOverPages) return {namespace: info.namespace, name: undefined};
  const selected = selection.namespace ?? '';
  const namespace = info.namespace === '' && nameIsDnsLabel(selected, false).length === 0 ? selected : info.namespace;
  return {namespace, name: namespace === '' || continues ? undefined : selection.name};
};

/** Relative to what is listed. */
const relativeKey = (scope: Scope, {namespace, name}: Place): string =>
  scope.namespace !== '' || namespace === '' ? name : `${namespace}/${name}`;

type Start = {readonly at: bigint; readonly from: string | undefined};

/** Where the token says. Throws StatusError 400, 504. */
const continuedAt = async (context: RequestContext, {continueToken, resourceVersion}: ListOptions): Promise<Start> => {
  const position = decodeContinueToken(continueToken);
  if ('fault' in position) throw badRequest(`invalid continue token: ${position.fault}`);
  if (resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (position.revision !== undefined) await readableAt(context, position.revision);
  return {at: position.revision ?? context.services.cache.revision, from: position.from};
};

/** The revision that the version asks for. Throws StatusError 400, 504. */
const startOf = async (context: RequestContext, options: ListOptions, scope: Scope): Promise<Start> => {
  const {resourceVersion: version, resourceVersionMatch: match} = options;
  const {services} = context;
  if (version === '' || version === '0') return {at: services.cache.revision, from: undefined};
  const fault = uint64Fault(version);
  if (fault !== undefined)
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${goQuote(version)}: ${fault}`);
  const wanted = BigInt(version);
  const isExact = match === 'Exact' || (match === '' && options.limit > 0 && scope.name === undefined);
  await readableAt(context, wanted);
  // `00` is no revision, and passes the check that an exact version is not `0`: storage takes it for the current one.
  return {at: isExact && wanted > 0n ? wanted : services.cache.revision, from: undefined};
};

/** Nothing of this resource changed since `at`, so the cache shows that revision. */
const isCurrent = ({registry}: RequestContext, at: bigint): boolean => registry.cache.log.lastRevision <= at;

/** Those of the cache change with the next write; a list is made long after. */
const copied = (slice: readonly CachedObject[]): readonly CachedObject[] => slice.slice();

/** One that decodes is asked about a bounded number of objects in each turn. Gives back as many as the page may have. */
const matchingInTurns = async (
  slices: readonly (readonly CachedObject[])[],
  {selection, limit}: Read,
  scheduler: Scheduler,
): Promise<CachedObject[]> => {
  const found: CachedObject[] = [];
  for await (const piece of piecesInTurns(slices, STEPS.convertedObjectsMax, scheduler)) {
    for (const object of piece) {
      if (!selection.matches(object)) continue;
      found.push(object);
      if (found.length === limit) return found;
    }
  }
  return found;
};

/** What is there in this turn is what is listed. */
const readCache = async ({registry, services}: RequestContext, read: Read): Promise<Page> => {
  const {from, limit, selection, scope} = read;
  const {objects} = registry.cache;
  const {namespace, name} = scope;
  if (name !== undefined) {
    const one = objects.get(namespace, name);
    return {slices: one !== undefined && selection.matches(one) ? [[one]] : [], more: false, remaining: undefined};
  }
  if (limit === 0 && selection.matchesAll) {
    return {slices: Array.from(objects.slices(namespace, from), copied), more: false, remaining: undefined};
  }
  const {label} = selection;
  const isIndexed = label !== undefined && from === undefined;
  const source = isIndexed ? [objects.withLabel(label.key, label.value, namespace)] : objects.slices(namespace, from);
  if (selection.decodes) {
    const last = objects.last(namespace);
    const found = await matchingInTurns(Array.from(source, copied), read, services.scheduler);
    return {slices: [found], more: found.length === limit && found.at(-1) !== last, remaining: undefined};
  }
  const allMatch = selection.matchesAll || (isIndexed && selection.isOneLabel);
  const slices: (readonly CachedObject[])[] = [];
  let room = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let beyond = 0;
  for (const slice of source) {
    if (room === 0) {
      if (!selection.matchesAll) break;
      beyond += slice.length;
      continue;
    }
    const matching = allMatch ? copied(slice) : slice.filter(object => selection.matches(object));
    const taken = matching.length <= room ? matching : matching.slice(0, room);
    if (taken.length > 0) slices.push(taken);
    room -= taken.length;
    beyond += matching.length - taken.length;
  }
  if (selection.matchesAll) return {slices, more: beyond > 0, remaining: beyond};
  // a full page with anything behind it has a next one, be there a match or not
  return {slices, more: room === 0 && slices.at(-1)?.at(-1) !== objects.last(namespace), remaining: undefined};
};

/** 410, with a token that goes on in the newest state. */
const continueExpired = (from: string): StatusError => {
  const {status} = expired(CONTINUE_EXPIRED);
  const metadata = {continue: encodeContinueToken({from, revision: undefined})};
  return new StatusError({...status, metadata: metadata as never});
};

const readHistory = async (context: RequestContext, read: Read, continues: boolean): Promise<Page> => {
  try {
    return await readStore(context, read);
  } catch (error) {
    if (hasCode(error, 'compacted'))
      throw continues && read.from !== undefined ? continueExpired(read.from) : expired(VERSION_EXPIRED);
    if (hasCode(error, 'future-revision')) throw futureVersion(read.at, context.services.cache.revision);
    throw error;
  }
};

const readStore = async (context: RequestContext, read: Read): Promise<Page> => {
  const {services, registry} = context;
  const {kind} = registry;
  const {limit, selection} = read;
  const {namespace} = read.scope;
  const prefix = namespace === '' ? resourcePrefix(kind) : `${resourcePrefix(kind)}${namespace}/`;
  const first = `${prefix}${read.from ?? ''}`;
  let after = read.from === undefined ? undefined : first.slice(0, -1);
  const found: CachedObject[] = [];
  for (;;) {
    const page = await registry.readHistory(prefix, {at: read.at, after, limit: services.limits.storePageItems});
    for (const [index, entry] of page.entries.entries()) {
      after = entry.key;
      if (entry.key < first) continue;
      if (selection.decodes && index % STEPS.convertedObjectsMax === STEPS.convertedObjectsMax - 1)
        await services.scheduler.turn();
      const object = toCachedObject(placeOf(entry.key, resourcePrefix(kind), kind.namespaced), entry);
      if (!selection.matches(object)) continue;
      found.push(object);
      if (limit === 0 || found.length < limit) continue;
      const behind = page.remaining + page.entries.length - index - 1;
      return {slices: [found], more: behind > 0, remaining: selection.matchesAll ? behind : undefined};
    }
    if (page.remaining === 0) return {slices: [found], more: false, remaining: undefined};
    await services.scheduler.turn();
  }
};

const placeOf = (key: string, prefix: string, namespaced: boolean): Place => {
  const rest = key.slice(prefix.length);
  if (!namespaced) return {namespace: '', name: rest};
  const slash = rest.indexOf('/');
  return {namespace: rest.slice(0, slash), name: rest.slice(slash + 1)};
};
