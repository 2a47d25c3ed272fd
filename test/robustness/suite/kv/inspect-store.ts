// SPDX-License-Identifier: Apache-2.0
/** What a damaged store file still serves, judged by the record of all clients. */
import {StoreError} from '@palisade/store';
import {openSqliteStore, type SqliteStoreOptions, type WalTail} from '@palisade/store/sqlite';
import {WatchRecorder} from '@palisade/store/testing';
import {revisionOf} from '../../../../packages/store/src/log/change.ts';
import type {Inspection} from '../subject.ts';
import {judgeState} from './judge.ts';
import type {KvRecord, Seen, Version} from './record.ts';

export type Inspected = {
  /** Keys of the record, as the store has them: behind this prefix. */
  readonly prefix: string;
  readonly idOf: (value: Uint8Array) => string;
  /** Clients that write at once: so many answered writes may be in the last transaction. */
  readonly writers: number;
  /** The record knows every change of the store. */
  readonly seesAll: boolean;
};

const KEYS_MAX = 10_000;

/** A start that cuts a commit off continues at a later revision, without history: what it kept ends before that. */
const keptBefore = ({keptRowid}: WalTail, versions: readonly Version[]): number =>
  keptRowid > 0 ? revisionOf(keptRowid) : Math.max(0, ...versions.map(({revision}) => revision));

export async function inspectStore(
  options: SqliteStoreOptions,
  record: KvRecord,
  {prefix, idOf, writers, seesAll}: Inspected,
): Promise<Inspection> {
  const tails: WalTail[] = [];
  const nameOf = (key: string): string => key.slice(prefix.length);
  try {
    await using store = await openSqliteStore({...options, onTornTail: tail => tails.push(tail)});
    const [compacted, revision] = [await store.compactedRevision(), await store.currentRevision()];
    await using watch = new WatchRecorder(store, '', compacted);
    if (revision > compacted) await watch.seen(revision);
    if (watch.failure !== undefined) throw watch.failure;
    const {entries} = await store.list(prefix, {limit: KEYS_MAX});
    const versions = entries.map(({key, value, modRevision}) => ({
      key: nameOf(key),
      id: idOf(value),
      revision: Number(modRevision),
    }));
    const events = watch.events.flatMap((event): Seen[] => {
      const key = event.type === 'put' ? event.entry.key : event.key;
      if (!key.startsWith(prefix)) return [];
      const [at, previous] = [Number(event.revision), Number(event.previous?.modRevision ?? 0n)];
      const id = event.type === 'put' ? idOf(event.entry.value) : undefined;
      return [{revision: at, key: nameOf(key), id, previous}];
    });
    const cut = tails.find(({commits}) => commits > 0);
    const newest = cut === undefined ? Number(watch.events.at(-1)?.revision ?? compacted) : keptBefore(cut, versions);
    const state = {revision: newest, compacted: Math.min(Number(compacted), newest), entries: versions, events};
    const {faults, missing} = judgeState(record, state, {seesAll});
    // A last transaction whose commit frame is gone looks like one that power tore: there is no tail then.
    const isLastCommit = missing <= writers && tails.every(({commits}) => commits <= 1);
    return {faults, lost: missing === 0 ? 'nothing' : isLastCommit ? 'last-commit' : 'end'};
  } catch (error) {
    if (error instanceof StoreError) return {refused: error.code, message: error.message};
    throw error;
  }
}
