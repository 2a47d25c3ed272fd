// SPDX-License-Identifier: Apache-2.0
/** Long-running operations as people read them. */
import type {Operation} from '@palisade/client/browser';

/** Newest first. */
export const newestFirst = (operations: readonly Operation[]): readonly Operation[] =>
  operations.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a)));

const timeOf = ({metadata}: Operation): string => metadata?.createTime ?? '';

const VERBS: Readonly<Record<string, readonly [running: string, noun: string]>> = {
  create: ['Creating', 'Creation'],
  update: ['Updating', 'Update'],
  delete: ['Deleting', 'Deletion'],
};

export const runningWord = ({metadata}: Operation): string => VERBS[metadata?.verb ?? '']?.[0] ?? 'Working';
export const operationNoun = ({metadata}: Operation): string => VERBS[metadata?.verb ?? '']?.[1] ?? 'Operation';

export const isCancelled = ({error}: Operation): boolean => error?.code === 1;

/** `Running`, `Done`, `Failed`, `Cancelled`. */
export const outcomeOf = (operation: Operation): 'Running' | 'Done' | 'Failed' | 'Cancelled' =>
  operation.done !== true
    ? 'Running'
    : operation.error === undefined
      ? 'Done'
      : isCancelled(operation)
        ? 'Cancelled'
        : 'Failed';

/** Why it failed, or what it says about its progress. */
export const operationText = ({error, metadata}: Operation): string => error?.message ?? metadata?.statusMessage ?? '';

export const operationId = ({name}: Operation): string => name.split('/').at(-1) ?? name;

/** The newest one if it is a deletion that has not failed: it runs, or has removed the endpoint. */
export const newestDeletion = (operations: readonly Operation[]): Operation | undefined => {
  const newest = newestFirst(operations)[0];
  return newest?.metadata?.verb === 'delete' && newest.error === undefined ? newest : undefined;
};

/** How long it took, in seconds; undefined while it runs. */
export function operationSeconds({metadata}: Operation): number | undefined {
  const [from, to] = [metadata?.createTime, metadata?.endTime];
  return from === undefined || to === undefined ? undefined : (Date.parse(to) - Date.parse(from)) / 1_000;
}

/** The one to show above everything: one that runs, or else the failed one that the address names. */
export const shownOperation = (operations: readonly Operation[], id: string): Operation | undefined =>
  operations.find(({done}) => done !== true) ??
  operations.find(operation => operationId(operation) === id && operation.error !== undefined);
