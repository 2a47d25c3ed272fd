// SPDX-License-Identifier: Apache-2.0
/**
 * DELETE of a collection: each object that a LIST with these parameters shows, as a DELETE of its own. Answers what was
 * deleted, as it was. Ref: kubernetes v1.36 apiserver/pkg/registry/generic/registry/store.go DeleteCollection.
 */

import type {ListAnswer} from '../answer/answer.ts';
import {badRequest, StatusError} from '../base/status-error.ts';
import type {CachedObject} from '../cache/cached-object.ts';
import {piecesInTurns} from '../cache/watch/in-turns.ts';
import {parseSelection} from '../registry/selection.ts';
import {type DeleteOptions, parseDeleteOptions} from '../request/options/delete-options.ts';
import {
  type ListOptions,
  parseListOptions,
  validateListOptions,
  withDefaults,
} from '../request/options/list-options.ts';
import {parseInt64} from '../request/options/parse-integer.ts';
import {listWith} from './list.ts';
import {NAMESPACE_REQUIRED} from './name-parameter.ts';
import {deleteObject} from './object/delete-object.ts';
import {type RequestContext, strategyContext} from './object/request-context.ts';
import {readDeleteOptions} from './options-body.ts';

/** Deletes of one collection that are under way at the same time: they share the store's batches. */
const DELETES_IN_FLIGHT = 64;
/** Objects listed at once when no limit is asked for; as upstream's deleteCollectionPageSize. */
const PAGE_ITEMS = 10_000;

export const deleteCollection = async (context: RequestContext): Promise<ListAnswer> => {
  const {kind, query, info, services} = context;
  const listOptions = withDefaults(parseListOptions(query));
  validateListOptions(listOptions);
  parseSelection(listOptions, kind, info, services.limits); // its fields are judged before the body is read
  const options = parseDeleteOptions(await readDeleteOptions(context), query);
  await demandAccess(context, '', undefined);
  if (listOptions.limit > 0) {
    const page = await listWith(context, listOptions);
    await demandAccessToAll(context, [page]);
    return {...page, slices: [await deleteAll(context, page, options)]};
  }
  // A limit below zero is none, and then a resourceVersion is not taken for the exact one.
  const limit = (parseInt64(query.get('limit')) ?? 0) < 0 ? 0 : PAGE_ITEMS;
  const pages = await allPages(context, {...listOptions, limit});
  await demandAccessToAll(context, pages);
  const slices: CachedObject[][] = [];
  for (const page of pages) slices.push(await deleteAll(context, page, options));
  return {...pages[0], slices};
};

const demandAccess = async (
  context: RequestContext,
  name: string,
  current: CachedObject | undefined,
): Promise<void> => {
  const {kind, info} = context;
  const namespace = current?.namespace ?? info.namespace;
  await kind.strategy.access?.({to: 'delete', namespace, name, current}, strategyContext(context));
};

/** All or nothing: where one may not be deleted, none is. */
const demandAccessToAll = async (context: RequestContext, pages: readonly ListAnswer[]): Promise<void> => {
  if (context.kind.strategy.access === undefined) return;
  const slices = pages.flatMap(page => page.slices);
  for await (const piece of piecesInTurns(slices, DELETES_IN_FLIGHT, context.services.scheduler))
    for (const object of piece) await demandAccess(context, object.name, object);
};

/** Before anything is deleted: from then on they would have to be read from history. */
const allPages = async (
  context: RequestContext,
  listOptions: ListOptions,
): Promise<readonly [ListAnswer, ...ListAnswer[]]> => {
  const first = await listWith(context, listOptions);
  const pages: [ListAnswer, ...ListAnswer[]] = [first];
  const further = {...listOptions, resourceVersion: '', resourceVersionMatch: ''}; // the token says it
  for (let {continueToken} = first; continueToken !== undefined; ) {
    const page = await listWith(context, {...further, continueToken});
    pages.push(page);
    continueToken = page.continueToken;
  }
  return pages;
};

/** In order and up to the first refusal where there may be one, as upstream always. Answers the objects as they were: a page shows the live ones. */
const deleteAll = async (
  context: RequestContext,
  {slices}: ListAnswer,
  options: DeleteOptions,
): Promise<CachedObject[]> => {
  const found = slices.flat();
  const {uid, resourceVersion} = options.preconditions;
  const inFlight = uid === undefined && resourceVersion === undefined ? DELETES_IN_FLIGHT : 1;
  // A dry run waits for nothing but the turns.
  for await (const piece of piecesInTurns([found], inFlight, context.services.scheduler))
    await Promise.all(piece.map(object => deleteFound(context, object, options)));
  return found;
};

const deleteFound = async (context: RequestContext, found: CachedObject, options: DeleteOptions): Promise<void> => {
  if (context.kind.namespaced && context.info.namespace === '') throw badRequest(NAMESPACE_REQUIRED);
  const info = {...context.info, namespace: found.namespace, name: found.name};
  try {
    await deleteObject({...context, info}, found.name, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
};
