// SPDX-License-Identifier: Apache-2.0
/**
 * What a registry promises to its callers, each as a check over their record: a list of faults, empty when it holds.
 * Ref: etcd tests/robustness/validate/{operations,result}.go
 */
import {linearize} from './linearize.ts';
import {eventsOf, type KvRecord, type Step, stepsOf, TORN, type Version} from './record.ts';
import {ABSENT, keyOfRegister, operationsByKey} from './register.ts';
import type {Timeline} from './timeline.ts';

/** The calls of each key could have been done one after the other, each between its call and its answer. */
export function linearizable(record: KvRecord, timeline: Timeline): string[] {
  return [...operationsByKey(record, timeline)].flatMap(([key, operations]) => {
    const found = linearize(operations, ABSENT, keyOfRegister);
    if (found.result === 'linearizable') return [];
    if (found.result === 'undecided') return [`${key}: ${operations.length} calls, too many ways to try`];
    return [`${key}: after ${found.after} of ${operations.length} calls none fits: ${found.stuck.join('; ')}`];
  });
}

type State = {readonly prefix: string; readonly revision: number; readonly entries: readonly Version[]};

/** An answer that names a revision has exactly the keys of that revision. */
export function serializable(record: KvRecord, timeline: Timeline): string[] {
  const faults: string[] = [];
  const check = (key: string, {revision, entry, who}: {revision: number; entry: Version | undefined; who: string}) => {
    const want = timeline.at(key, revision);
    const got = entry === undefined ? 'absent' : `${entry.id} @${entry.revision}`;
    const wanted = want?.id === undefined ? 'absent' : `${want.id} @${want.revision}`;
    if (got !== wanted) faults.push(`${who}, ${key} at revision ${revision}: ${got} instead of ${wanted}`);
  };
  const checkState = ({prefix, revision, entries}: State, who: string): void => {
    const found = new Map(entries.map(entry => [entry.key, entry]));
    if (found.size < entries.length) faults.push(`${who}: a key comes twice`);
    for (const key of timeline.keys) if (key.startsWith(prefix)) check(key, {revision, entry: found.get(key), who});
  };
  for (const {request, answer, client} of record.calls) {
    if (request.kind === 'list' && answer?.kind === 'listed')
      checkState({prefix: request.prefix, revision: answer.revision, entries: answer.entries}, client);
    if (request.kind === 'get' && request.at !== undefined && answer?.kind === 'got')
      check(request.key, {revision: request.at, entry: answer.entry, who: client});
  }
  for (const audit of record.audits) checkState(audit, `start of round ${audit.round}`);
  return faults;
}

/** No start is at an older revision than an answer, an event or a bookmark before it. What is there then is for `serializable`. */
export function durable(record: KvRecord, timeline: Timeline): string[] {
  const faults: string[] = [...timeline.faults];
  const answers = record.calls.flatMap(({answer, answered}) =>
    answer?.kind === 'written' && answer.revision !== undefined ? [{at: answered, revision: answer.revision}] : [],
  );
  const deliveries = record.watches.flatMap(watch =>
    watch.deliveries.map(each => ({
      at: each.at,
      revision: each.kind === 'bookmark' ? each.revision : (each.events.at(-1)?.revision ?? 0),
    })),
  );
  const known = [...answers, ...deliveries].sort((a, b) => a.at - b.at);
  let [i, revision] = [0, 0];
  for (const audit of record.audits) {
    for (; (known[i]?.at ?? Infinity) < audit.at; i++) revision = Math.max(revision, known[i]?.revision ?? 0);
    if (audit.revision < revision)
      faults.push(`start of round ${audit.round} is at revision ${audit.revision}, but clients saw ${revision} before`);
    revision = Math.max(revision, audit.revision);
  }
  return faults;
}

const idsOf = (steps: readonly Step[]): string[] => steps.flatMap(step => (step.op === 'put' ? [step.id] : []));

/**
 * A write is there with all its changes under one revision, or not at all; one that was refused never; and nothing is there
 * that nobody wrote.
 */
export function whole(record: KvRecord, timeline: Timeline): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const call of record.calls) {
    const ids = idsOf(stepsOf(call));
    for (const id of ids) known.add(id);
    const at = ids.map(id => timeline.revisionsOf(id).join(' and '));
    const {answer} = call;
    const name = `${call.client} wrote ${ids.join(', ')}`;
    if ((answer?.kind === 'refused' || answer?.kind === 'conflict') && at.some(each => each !== ''))
      faults.push(
        `${name}: answered as ${answer.kind === 'refused' ? answer.code : 'conflict'}, but it is there at ${at}`,
      );
    if (new Set(at).size > 1 || at.some(each => each.includes('and')))
      faults.push(`${name}: its changes are at ${at.map(each => each || 'nothing').join(', ')}`);
  }
  const values = timeline.keys.flatMap(key => timeline.of(key).map(point => ({key, ...point})));
  for (const {key, id, revision} of values) {
    if (id === TORN) faults.push(`${key} @${revision}: its bytes are not those that were written`);
    else if (id !== undefined && !known.has(id)) faults.push(`${key} @${revision}: nobody wrote ${id}`);
  }
  return [...faults, ...unasked(record, timeline)];
}

/** Deletions that nobody asked for. */
function unasked(record: KvRecord, timeline: Timeline): string[] {
  const answered = new Set<string>();
  const possible = new Map<string, number>();
  for (const call of record.calls)
    for (const step of stepsOf(call)) {
      if (step.op !== 'delete' || call.answer?.kind === 'conflict' || call.answer?.kind === 'refused') continue;
      const revision = call.answer?.kind === 'written' ? call.answer.revision : undefined;
      if (revision !== undefined) answered.add(`${step.key} ${revision}`);
      else possible.set(step.key, (possible.get(step.key) ?? 0) + 1);
    }
  return timeline.keys.flatMap(key => {
    const deletions = timeline
      .of(key)
      .filter(({id, revision}) => id === undefined && !answered.has(`${key} ${revision}`));
    const most = possible.get(key) ?? 0;
    return deletions.length > most
      ? [
          `${key}: deleted at ${deletions.map(({revision}) => revision)}, but only ${most} deletions are without a revision`,
        ]
      : [];
  });
}

/** Every revision above the oldest that can be read has a change. Only for a record that sees all of them. */
export function gapless(record: KvRecord, timeline: Timeline): string[] {
  const revisions = new Set(timeline.keys.flatMap(key => timeline.of(key).map(({revision}) => revision)));
  return record.audits.flatMap(({round, revision, compacted = 0}) => {
    for (let each = compacted + 1; each <= revision; each++)
      if (!revisions.has(each)) return [`start of round ${round}: revision ${each} has no change`];
    return [];
  });
}

/** How many changes were delivered, and to how many watches. */
export const countsOf = (record: KvRecord): Record<string, number> => {
  const isWrite = record.calls.filter(({request}) => request.kind === 'write');
  const answers = (kind: string): number => isWrite.filter(({answer}) => answer?.kind === kind).length;
  const deliveries = record.watches.flatMap(watch => watch.deliveries);
  return {
    writes: answers('written'),
    conflicts: answers('conflict'),
    refused: answers('refused'),
    unanswered: isWrite.filter(({answer}) => answer === undefined).length,
    reads: record.calls.length - isWrite.length,
    watches: record.watches.length,
    events: record.watches.reduce((sum, watch) => sum + eventsOf(watch).length, 0),
    bookmarks: deliveries.filter(({kind}) => kind === 'bookmark').length,
  };
};
