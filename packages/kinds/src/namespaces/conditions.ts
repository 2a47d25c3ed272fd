// SPDX-License-Identifier: Apache-2.0
/** How far the removal of a namespace's content is, in the words of the reference. Ref: kubernetes v1.36 pkg/controller/namespace/deletion/status_condition_utils.go. */
import type {NamespaceCondition} from './types.ts';

/** What is left after one round. */
export type Remains = {
  /** Objects by `resource.group`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Objects by the finalizer that holds them. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Texts of deletes that failed. */
  readonly failures: readonly string[];
};

type Words = {readonly type: string; readonly bad: string; readonly good: string; readonly goodText: string};

const WORDS = {
  discovery: {
    type: 'NamespaceDeletionDiscoveryFailure',
    bad: 'DiscoveryFailed',
    good: 'ResourcesDiscovered',
    goodText: 'All resources successfully discovered',
  },
  parsing: {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    bad: 'GroupVersionParsingFailed',
    good: 'ParsedGroupVersions',
    goodText: 'All legacy kube types successfully parsed',
  },
  content: {
    type: 'NamespaceDeletionContentFailure',
    bad: 'ContentDeletionFailed',
    good: 'ContentDeleted',
    goodText: 'All content successfully deleted, may be waiting on finalization',
  },
  remaining: {
    type: 'NamespaceContentRemaining',
    bad: 'SomeResourcesRemain',
    good: 'ContentRemoved',
    goodText: 'All content successfully removed',
  },
  finalizers: {
    type: 'NamespaceFinalizersRemaining',
    bad: 'SomeFinalizersRemain',
    good: 'ContentHasNoFinalizers',
    goodText: 'All content-preserving finalizers finished',
  },
} as const satisfies Record<string, Words>;

const listed = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string =>
  [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => text(name, count))
    .join(', ');

/**
 * The conditions that were there, in their order, each of ours with what holds now, and the missing ones of ours behind them.
 * The time of one that keeps its status stays.
 */
export const toConditions = (
  before: readonly NamespaceCondition[],
  {counts, finalizers, failures}: Remains,
  now: string,
): NamespaceCondition[] => {
  const make = (words: Words, fault: string): NamespaceCondition => {
    const status = fault === '' ? 'False' : 'True';
    const known = before.find(({type}) => type === words.type);
    return {
      type: words.type,
      status,
      lastTransitionTime: known?.status === status ? (known.lastTransitionTime ?? null) : now,
      reason: fault === '' ? words.good : words.bad,
      message: fault === '' ? words.goodText : fault,
    };
  };
  const some = (
    head: string,
    counts: ReadonlyMap<string, number>,
    text: (name: string, count: number) => string,
  ): string => (counts.size === 0 ? '' : `${head}: ${listed(counts, text)}`);
  const ours = [
    make(WORDS.discovery, ''),
    make(WORDS.parsing, ''),
    make(
      WORDS.content,
      failures.length === 0
        ? ''
        : `Failed to delete all resource types, ${failures.length} remaining: ${failures.join(', ')}`,
    ),
    make(
      WORDS.remaining,
      some('Some resources are remaining', counts, (name, count) => `${name} has ${count} resource instances`),
    ),
    make(
      WORDS.finalizers,
      some(
        'Some content in the namespace has finalizers remaining',
        finalizers,
        (name, count) => `${name} in ${count} resource instances`,
      ),
    ),
  ];
  const conditions = [...before];
  for (const condition of ours) {
    const at = conditions.findIndex(({type}) => type === condition.type);
    conditions.splice(at < 0 ? conditions.length : at, at < 0 ? 0 : 1, condition);
  }
  return conditions;
};
