// SPDX-License-Identifier: Apache-2.0
/**
 * LIST. Without a version it is the newest state, whole or by pages; all pages of one list show one revision.
 * From the cache as long as the cache stands at the wanted revision, else from the store's history.
 * Ref: kubernetes v1.36 apiserver/pkg/storage/cacher/cacher.go GetList, apiserver/pkg/storage/etcd3/store.go.
 */
import {hasCode} from '@palisade/store';
import {type CachedObject, toCachedObject} from '../cache/cached-object.ts';
import {objectKey, resourcePrefix} from '../cache/watch-cache.ts';
import {decodeContinueToken, encodeContinueToken} from '../options/continue-token.ts';
import {type ListOptions, parseListOptions, validateListOptions} from '../options/list-options.ts';
import {uint64Fault} from '../options/parse-integer.ts';
import {parseSelection, type Selection} from '../options/selection.ts';
import {badRequest, expired, futureVersion, StatusError} from '../status-error.ts';
import type {ListAnswer} from './answer.ts';
import type {RequestContext} from './request-context.ts';
import {notOlderThan} from './wait-for-version.ts';

type Place = {readonly namespace: string; readonly name: string};
type Page = {
  readonly slices: (readonly CachedObject[])[];
  readonly more: boolean;
  readonly remaining: number | undefined;
};
type Read = {
  readonly at: bigint;
  readonly after: Place | undefined;
  readonly limit: number;
  readonly selection: Selection;
};

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
const VERSION_EXPIRED = 'The resourceVersion for the provided list is too old.';

export const list = async (context: RequestContext): Promise<ListAnswer> => {
  const options = parseListOptions(context.query);
  validateListOptions(options);
  const selection = parseSelection(options, context.kind, context.info, context.services.limits);
  const {at, after} = await startOf(context, options);
  return readList(context, {at, after, limit: options.limit, selection}, options.continueToken !== '');
};

/** Every object the selection covers, now. For verbs that work on collections. */
export const listNow = (context: RequestContext, selection: Selection, limit: number): Page =>
  readCache(context, {at: context.services.cache.revision, after: undefined, limit, selection});

const readList = async (context: RequestContext, read: Read, continues: boolean): Promise<ListAnswer> => {
  const page = isCurrent(context, read.at) ? readCache(context, read) : await readHistory(context, read, continues);
  const last = page.slices.at(-1)?.at(-1);
  const token =
    page.more && last !== undefined
      ? encodeContinueToken({revision: read.at, namespace: last.namespace, name: last.name})
      : undefined;
  return {
    type: 'list',
    kind: context.kind,
    slices: page.slices,
    resourceVersion: read.at.toString(),
    continueToken: token,
    remaining: token === undefined ? undefined : page.remaining,
  };
};

/** The revision to read at, and the key to go on after. */
const startOf = async (
  context: RequestContext,
  options: ListOptions,
): Promise<{at: bigint; after: Place | undefined}> => {
  const {services} = context;
  const {resourceVersion: version} = options;
  if (options.continueToken !== '') {
    const position = decodeContinueToken(options.continueToken);
    if ('fault' in position) throw badRequest(`invalid continue token: ${position.fault}`);
    if (version !== '' && version !== '0') {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    return {at: position.revision ?? services.cache.revision, after: position};
  }
  if (version === '' || version === '0') return {at: services.cache.revision, after: undefined};
  const fault = uint64Fault(version);
  if (fault !== undefined)
    throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(version)}: ${fault}`);
  const wanted = BigInt(version);
  const exact = options.resourceVersionMatch === 'Exact' || (options.resourceVersionMatch === '' && options.limit > 0);
  await notOlderThan(services, wanted);
  return {at: exact ? wanted : services.cache.revision, after: undefined};
};

/** Nothing of this resource changed since `at`, so the cache shows that revision. */
const isCurrent = ({registry}: RequestContext, at: bigint): boolean => registry.cache.log.lastRevision <= at;

const readCache = ({registry, info, kind}: RequestContext, {after, limit, selection}: Read): Page => {
  const {objects} = registry.cache;
  const namespace = kind.namespaced ? info.namespace : '';
  if (selection.name !== undefined && after === undefined && (namespace !== '' || !kind.namespaced)) {
    const one = objects.get(namespace, selection.name);
    return {slices: one !== undefined && selection.matches(one) ? [[one]] : [], more: false, remaining: undefined};
  }
  const {label} = selection;
  const source =
    label === undefined || after !== undefined
      ? objects.slices(namespace, after)
      : [
          objects
            .withLabel(label.key, label.value)
            .filter(object => namespace === '' || object.namespace === namespace),
        ];
  const slices: (readonly CachedObject[])[] = [];
  let room = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  let beyond = 0;
  for (const slice of source) {
    if (room === 0 && selection.matchesAll) beyond += slice.length;
    else {
      const matching = selection.matchesAll ? slice : slice.filter(object => selection.matches(object));
      if (matching.length === 0) continue;
      const taken = matching.length <= room ? matching : matching.slice(0, room);
      if (taken.length > 0) slices.push(taken);
      room -= taken.length;
      beyond += matching.length - taken.length;
    }
    if (beyond > 0 && !selection.matchesAll) break;
  }
  return {slices, more: beyond > 0, remaining: selection.matchesAll ? beyond : undefined};
};

/** 410, with a token that goes on in the newest state. */
const continueExpired = (after: Place): StatusError => {
  const {status} = expired(CONTINUE_EXPIRED);
  const metadata = {continue: encodeContinueToken({...after, revision: undefined})};
  return new StatusError({...status, metadata: metadata as never});
};

const readHistory = async (context: RequestContext, read: Read, continues: boolean): Promise<Page> => {
  try {
    return await readStore(context, read);
  } catch (error) {
    if (hasCode(error, 'compacted'))
      throw continues && read.after !== undefined ? continueExpired(read.after) : expired(VERSION_EXPIRED);
    if (hasCode(error, 'future-revision')) throw futureVersion(read.at, context.services.cache.revision);
    throw error;
  }
};

const readStore = async (context: RequestContext, read: Read): Promise<Page> => {
  const {kind, info, services, registry} = context;
  const {limit, selection} = read;
  const prefix =
    kind.namespaced && info.namespace !== '' ? `${resourcePrefix(kind)}${info.namespace}/` : resourcePrefix(kind);
  let after = read.after === undefined ? undefined : objectKey(kind, read.after.namespace, read.after.name);
  const found: CachedObject[] = [];
  for (;;) {
    const page = await registry.readHistory(prefix, {at: read.at, after, limit: services.limits.storePageItems});
    for (const [index, entry] of page.entries.entries()) {
      after = entry.key;
      const object = toCachedObject(placeOf(entry.key, resourcePrefix(kind), kind.namespaced), entry);
      if (!selection.matches(object)) continue;
      if (limit > 0 && found.length === limit) {
        const remaining = page.remaining + page.entries.length - index;
        return {slices: [found], more: true, remaining: selection.matchesAll ? remaining : undefined};
      }
      found.push(object);
    }
    if (page.remaining === 0) return {slices: [found], more: false, remaining: undefined};
  }
};

const placeOf = (key: string, prefix: string, namespaced: boolean): Place => {
  const rest = key.slice(prefix.length);
  if (!namespaced) return {namespace: '', name: rest};
  const slash = rest.indexOf('/');
  return {namespace: rest.slice(0, slash), name: rest.slice(slash + 1)};
};
