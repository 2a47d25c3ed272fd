// SPDX-License-Identifier: Apache-2.0
/** The store as simply as it can be said: the whole state of each revision, kept for ever. */
import type {Entry, Key, Revision, StoreEvent, TxnOp} from '../store.ts';
import type {StoreErrorCode} from '../store-error.ts';

type State = ReadonlyMap<Key, Entry>;
export type Outcome = {readonly revision: Revision} | {readonly code: StoreErrorCode; readonly key: Key};

export class StoreModel {
  readonly #states: State[] = [new Map()];
  readonly events: StoreEvent[] = [];
  compacted: Revision = 0n;

  get revision(): Revision {
    return BigInt(this.#states.length - 1);
  }

  txn(ops: readonly TxnOp[]): Outcome {
    const before = this.#at(this.revision);
    for (const op of ops) {
      const found = before.get(op.key)?.modRevision ?? 0n;
      const {expected} = op;
      if (op.op === 'delete' && found === 0n) return {code: 'key-not-found', key: op.key};
      if (expected === undefined || expected === found) continue;
      if (found === 0n) return {code: 'key-not-found', key: op.key};
      return {code: expected === 0n ? 'key-exists' : 'revision-conflict', key: op.key};
    }
    const writes = ops.filter(op => op.op !== 'check');
    if (writes.length === 0) return {revision: this.revision};
    const revision = this.revision + 1n;
    const state = new Map(before);
    for (const op of writes) {
      const previous = before.get(op.key);
      if (op.op === 'put') {
        const entry = {
          key: op.key,
          value: op.value,
          createRevision: previous?.createRevision ?? revision,
          modRevision: revision,
        };
        state.set(op.key, entry);
        this.events.push({type: 'put', revision, entry, previous});
      } else if (previous !== undefined) {
        state.delete(op.key);
        this.events.push({type: 'delete', revision, key: op.key, previous});
      }
    }
    this.#states.push(state);
    return {revision};
  }

  get(key: Key, at: Revision): Entry | undefined {
    return this.#at(at).get(key);
  }

  /** All entries of a prefix, ordered by the bytes of their keys. */
  list(prefix: Key, at: Revision): Entry[] {
    return [...this.#at(at).values()]
      .filter(entry => entry.key.startsWith(prefix))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }

  #at(revision: Revision): State {
    const state = this.#states[Number(revision)];
    if (state === undefined) throw new Error(`the model has no revision ${revision}`);
    return state;
  }
}
