// SPDX-License-Identifier: Apache-2.0
/** What store-writer.ts was answered, and whether a store has it. */
import type {Entry} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {idOfLarge} from './large-value.ts';

/** The newest answer about a key. `mayBeGone`: its removal was asked for, and not answered. */
export type Known = {readonly revision: bigint; readonly id: string; readonly mayBeGone?: true};
const REMOVED = '-';

/** Of each key, from the lines of store-writer.ts. */
export const newestAnswers = (
  said: readonly string[],
  known: ReadonlyMap<string, Known> = new Map(),
): Map<string, Known> => {
  const all = new Map(known);
  for (const line of said) {
    const [word, text = '0', key = '', id = ''] = line.split(' ');
    const [revision, last] = [BigInt(text), all.get(key)];
    if (word === 'removing' && last !== undefined) all.set(key, {...last, mayBeGone: true});
    if (word === 'ack' && revision > (last?.revision ?? -1n)) all.set(key, {revision, id});
  }
  return all;
};

const faultsOf = (entries: ReadonlyMap<string, Entry>, known: ReadonlyMap<string, Known>): string[] => {
  const lost = [...known].flatMap(([key, {revision, id, mayBeGone}]) => {
    const entry = entries.get(key);
    const found = entry === undefined ? REMOVED : idOfLarge(entry.value);
    // What was not answered may have happened.
    if (entry === undefined ? mayBeGone : entry.modRevision > revision) return [];
    return found === id ? [] : [`${key}: ${found} @${entry?.modRevision} instead of ${id} @${revision}`];
  });
  const torn = [...entries.values()].filter(({value}) => idOfLarge(value) === undefined).map(({key}) => `${key}: torn`);
  const transactions = Map.groupBy(
    [...entries.values()].filter(({key}) => key.startsWith('/t/')),
    ({key}) => key.slice(0, -2),
  );
  const halves = [...transactions].filter(
    ([, all]) => all.length !== 3 || new Set(all.map(({modRevision}) => modRevision)).size !== 1,
  );
  return [...lost, ...torn, ...halves.map(([name]) => `${name}: not all of a transaction`)];
};

/** Opens a store after power loss. Throws for what is missing or torn. */
export const checkAnswers = async (dir: string, known: ReadonlyMap<string, Known>): Promise<void> => {
  await using store = await openSqliteStore({dir});
  const {entries} = await store.list('', {limit: 1_000});
  const found = faultsOf(new Map(entries.map(entry => [entry.key, entry])), known);
  const last = [...known.values()].reduce((most, {revision}) => (revision > most ? revision : most), 0n);
  if ((await store.currentRevision()) < last) found.push(`the revision ${last} was answered`);
  if (found.length > 0) throw new Error(found.join('\n'));
};
