// SPDX-License-Identifier: Apache-2.0
/** DELETE of a collection: each object that the selectors cover, as a DELETE of its own. Answers what was deleted, as it was. */
import type {CachedObject} from '../cache/cached-object.ts';
import {parseDeleteOptions} from '../options/delete-options.ts';
import {parseListOptions, validateListOptions} from '../options/list-options.ts';
import {parseSelection} from '../options/selection.ts';
import {StatusError} from '../status-error.ts';
import type {ListAnswer} from './answer.ts';
import {deleteObject} from './delete-object.ts';
import {listNow} from './list.ts';
import {optionsBodyToJson} from './options-body.ts';
import {type RequestContext, strategyContext} from './request-context.ts';

/** Deletes of one collection that are under way at the same time: they share the store's batches. */
const DELETES_IN_FLIGHT = 64;

export const deleteCollection = async (context: RequestContext): Promise<ListAnswer> => {
  const {kind, query, body, info, services} = context;
  const listOptions = parseListOptions(query);
  validateListOptions(listOptions);
  const selection = parseSelection(listOptions, kind, info, services.limits);
  const bytes = await body.read();
  const options = parseDeleteOptions(bytes, query, text => optionsBodyToJson(body.contentType, text));
  const at = services.cache.revision;
  const found = listNow(context, selection, listOptions.limit).slices.flat();
  for (let next = 0; next < found.length; next += DELETES_IN_FLIGHT) {
    await Promise.all(found.slice(next, next + DELETES_IN_FLIGHT).map(object => deleteFound(context, object, options)));
  }
  return {
    type: 'list',
    kind,
    slices: [found],
    resourceVersion: at.toString(),
    continueToken: undefined,
    remaining: undefined,
  };
};

const deleteFound = async (
  context: RequestContext,
  found: CachedObject,
  options: ReturnType<typeof parseDeleteOptions>,
): Promise<void> => {
  const info = {...context.info, namespace: found.namespace, name: found.name};
  context.kind.strategy.admitDelete?.(found.name, strategyContext(context));
  try {
    await deleteObject({...context, info}, found.name, options);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
};
