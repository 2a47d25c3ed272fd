// SPDX-License-Identifier: Apache-2.0
/** Which partitions go, and in which order. Whole files: a budget is kept by deleting the oldest file of the lowest class. */
import type {BudgetName, Budgets} from '../budgets.ts';
import {RECORD_CLASSES} from '../evictions.ts';
import {byAge, type PartitionEntry} from './partitions.ts';
import type {PartitionClass} from './schema.ts';

export const budgetOf = (partitionClass: PartitionClass): BudgetName =>
  partitionClass === 'EVIDENCE' ? 'evidence' : partitionClass === 'TRAFFIC' ? 'traffic' : 'threats';

const PARTS_OF_A_BUDGET = 32;
const PARTITION_BYTES_LEAST = 4 * 1024 ** 2;
const PARTITION_BYTES_MOST = 64 * 1024 ** 2;

/** Beyond it a partition is full. */
export const rollBytesOf = ({bytes}: {readonly bytes: number}): number =>
  Math.min(Math.max(bytes / PARTS_OF_A_BUDGET, PARTITION_BYTES_LEAST), PARTITION_BYTES_MOST);

/** Where the disk is short of space: traffic, then evidence, then threats from the lowest severity. */
const UNDER_NEED: readonly PartitionClass[] = [
  'TRAFFIC',
  'EVIDENCE',
  ...RECORD_CLASSES.filter(name => name !== 'TRAFFIC'),
];

const inOrder = (entries: readonly PartitionEntry[]): readonly PartitionEntry[] =>
  [...entries].sort((a, b) => UNDER_NEED.indexOf(a.recordClass) - UNDER_NEED.indexOf(b.recordClass) || byAge(a, b));

export const usedBytes = (entries: readonly PartitionEntry[], budget: BudgetName): number =>
  entries.reduce((sum, {recordClass, bytes}) => (budgetOf(recordClass) === budget ? sum + bytes : sum), 0);

/** Files that have to go so that the others fit the budgets. */
export const overBudget = (entries: readonly PartitionEntry[], budgets: Budgets): readonly PartitionEntry[] =>
  (Object.keys(budgets) as BudgetName[]).flatMap(name => {
    const own = entries.filter(({recordClass}) => budgetOf(recordClass) === name);
    return firstOf(own, usedBytes(own, name) - budgets[name].bytes);
  });

/** Files that have to go so that the disk has so many bytes more. */
export const underNeed = (entries: readonly PartitionEntry[], bytes: number): readonly PartitionEntry[] =>
  firstOf(entries, bytes);

const firstOf = (entries: readonly PartitionEntry[], bytes: number): readonly PartitionEntry[] => {
  const found: PartitionEntry[] = [];
  let left = bytes;
  for (const entry of left > 0 ? inOrder(entries) : []) {
    if (left <= 0) break;
    found.push(entry);
    left -= entry.bytes;
  }
  return found;
};

/** Files in which everything is too old. */
export const tooOld = (
  entries: readonly PartitionEntry[],
  budgets: Budgets,
  nowMs: number,
): readonly PartitionEntry[] =>
  entries.filter(({recordClass, summary: {newest}}) => {
    const limit = (nowMs - budgets[budgetOf(recordClass)].ageMs) * 1000;
    return newest !== undefined && newest < limit;
  });
