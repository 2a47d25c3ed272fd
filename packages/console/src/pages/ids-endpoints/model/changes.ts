// SPDX-License-Identifier: Apache-2.0
/** What operations have changed, read from the endpoints that they gave back. */
import type {IdsEndpoint, Operation} from '@palisade/client/browser';
import {capital} from '../../../api/words.ts';
import {newestFirst} from './operations.ts';

export type HistoryRow = {
  readonly operation: Operation;
  /** `Exception 1:2001219 added`; '' where it is not known. */
  readonly changes: string;
};

const labelsOf = ({labels = {}}: IdsEndpoint): string => JSON.stringify(Object.entries(labels).sort());

function changesOf(before: IdsEndpoint, after: IdsEndpoint): string {
  const [old, now] = [before.threatExceptions ?? [], after.threatExceptions ?? []];
  const texts = [
    ...now.filter(each => !old.includes(each)).map(each => `exception ${each} added`),
    ...old.filter(each => !now.includes(each)).map(each => `exception ${each} removed`),
    ...(before.severity === after.severity ? [] : [`severity ${before.severity} changed to ${after.severity}`]),
    ...((before.trafficLogs ?? false) === (after.trafficLogs ?? false)
      ? []
      : [`traffic logs turned ${after.trafficLogs ? 'on' : 'off'}`]),
    ...(before.description === after.description ? [] : ['description changed']),
    ...(labelsOf(before) === labelsOf(after) ? [] : ['labels changed']),
  ];
  return capital(texts.join('; '));
}

/** Newest first. A change is known where the server still keeps the operation before it. */
export function historyOf(operations: readonly Operation[]): readonly HistoryRow[] {
  const all = newestFirst(operations);
  return all.map((operation, at) => {
    const after = operation.metadata?.verb === 'update' ? operation.response : undefined;
    const before = all.slice(at + 1).find(({response}) => response?.name !== undefined)?.response;
    return {operation, changes: after === undefined || before === undefined ? '' : changesOf(before, after)};
  });
}
