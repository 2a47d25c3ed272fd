// SPDX-License-Identifier: Apache-2.0
// Stopgap: an in-memory store with full history, replaced by the driver over the shared log.
import type {Entry, Key, Page, Revision, Store, StoreEvent, TxnOp} from '../../store.ts';
import {StoreError} from '../../store-error.ts';

export const openMemoryStore = async (): Promise<Store> => {
  const current = new Map<Key, Entry>();
  let keys: Key[] | undefined;
  const log: (readonly StoreEvent[])[] = [];
  let revision = 0n;
  const waiters = new Set<() => void>();
  let closed = false;
  const sorted = () => (keys ??= [...current.keys()].toSorted());
  const stateAt = (at: Revision): Map<Key, Entry> => {
    if (at === revision) return current;
    if (at > revision) throw new StoreError('future-revision', {revision: at});
    const state = new Map<Key, Entry>();
    for (const batch of log.slice(0, Number(at)))
      for (const e of batch) e.type === 'put' ? state.set(e.entry.key, e.entry) : state.delete(e.key);
    return state;
  };
  const txn = async (ops: readonly TxnOp[]): Promise<Revision> => {
    if (closed) throw new StoreError('closed', {});
    for (const op of ops) {
      const found = current.get(op.key)?.modRevision ?? 0n;
      if (op.op === 'delete' && found === 0n) throw new StoreError('key-not-found', {key: op.key});
      if (op.expected === undefined || op.expected === found) continue;
      throw new StoreError(op.expected === 0n ? 'key-exists' : found === 0n ? 'key-not-found' : 'revision-conflict', {key: op.key, revision: found});
    }
    revision++;
    const events: StoreEvent[] = [];
    for (const op of ops) {
      const previous = current.get(op.key);
      if (op.op === 'put') {
        const entry = {key: op.key, value: op.value, createRevision: previous?.createRevision ?? revision, modRevision: revision};
        if (previous === undefined) keys = undefined;
        current.set(op.key, entry);
        events.push({type: 'put', revision, entry, previous});
      } else if (op.op === 'delete' && previous !== undefined) {
        keys = undefined;
        current.delete(op.key);
        events.push({type: 'delete', revision, key: op.key, previous});
      }
    }
    log.push(events);
    for (const wake of [...waiters]) wake();
    return revision;
  };
  const store: Store = {
    currentRevision: async () => revision,
    compactedRevision: async () => 0n,
    get: async (key, at) => stateAt(at ?? revision).get(key),
    list: async (prefix, {at, after, limit}): Promise<Page> => {
      const state = stateAt(at ?? revision);
      const all = (state === current ? sorted() : [...state.keys()].toSorted()).filter(k => k.startsWith(prefix) && (after === undefined || k > after));
      return {entries: all.slice(0, limit).map(k => state.get(k) as Entry), revision: at ?? revision, remaining: Math.max(0, all.length - limit)};
    },
    put: (key, value, expected) => txn([{op: 'put', key, value, expected}]),
    delete: (key, expected) => txn([{op: 'delete', key, expected}]),
    txn,
    async *watch(prefix, from, signal) {
      let seen = Number(from);
      while (!signal.aborted && !closed) {
        if (seen < log.length) {
          const batch = log.slice(seen).flat().filter(e => (e.type === 'put' ? e.entry.key : e.key).startsWith(prefix));
          seen = log.length;
          if (batch.length > 0) yield batch;
          continue;
        }
        await new Promise<void>(resolve => {
          const wake = () => {
            waiters.delete(wake);
            signal.removeEventListener('abort', wake);
            resolve();
          };
          waiters.add(wake);
          signal.addEventListener('abort', wake);
        });
      }
    },
    compact: async () => {},
    close: async () => {
      closed = true;
      for (const wake of [...waiters]) wake();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return store;
};
