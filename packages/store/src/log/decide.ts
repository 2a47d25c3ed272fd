// SPDX-License-Identifier: Apache-2.0
/**
 * Preconditions. A write is decided when it arrives, on the newest decided state, which is ahead of the durable one by
 * the writes under way. A refusal that rests on such a write waits for it: nobody learns of a write that may yet fail.
 */
import type {StoreLimits} from '../limits.ts';
import {TXN_STEPS_MAX} from '../limits.ts';
import type {Key, TxnOp} from '../store.ts';
import {StoreError} from '../store-error.ts';
import {type Change, type ChangeId, changeId, revisionOf} from './change.ts';

/** A key as the next write will find it. `exists` false: it is absent, or `changeId` (if not 0) removed it. */
export type Head = {readonly changeId: ChangeId; readonly exists: boolean; readonly createRevision: number};
export type Refusal = {readonly error: StoreError; readonly head: Head};

export class DecidedState {
  readonly #durable: (key: Key) => Head;
  /** Keys whose newest change is not durable yet. */
  readonly #ahead = new Map<Key, Head>();

  constructor(durable: (key: Key) => Head) {
    this.#durable = durable;
  }

  #head(key: Key): Head {
    return this.#ahead.get(key) ?? this.#durable(key);
  }

  /** The first broken precondition. */
  refusal(ops: readonly TxnOp[]): Refusal | undefined {
    for (const op of ops) {
      const head = this.#head(op.key);
      const found = head.exists ? BigInt(revisionOf(head.changeId)) : 0n;
      const {expected} = op;
      if (
        op.op === 'delete'
          ? head.exists && (expected === undefined || expected === found)
          : expected === undefined || expected === found
      )
        continue;
      const code = !head.exists ? 'key-not-found' : expected === 0n ? 'key-exists' : 'revision-conflict';
      return {head, error: new StoreError(code, {key: op.key, revision: found})};
    }
    return undefined;
  }

  /** The changes of a transaction that `refusal` passed, under `revision`; they are ahead until `settle`. */
  advance(ops: readonly TxnOp[], revision: number): Change[] {
    const changes: Change[] = [];
    for (const op of ops) {
      if (op.op === 'check') continue;
      const {key} = op;
      const head = this.#head(key);
      const id = changeId(revision, changes.length);
      const put = op.op === 'put';
      const createRevision = !put ? 0 : head.exists ? head.createRevision : revision;
      changes.push({
        id,
        key,
        previousId: head.exists ? head.changeId : 0,
        createRevision,
        value: put ? op.value : undefined,
      });
      this.#ahead.set(key, {changeId: id, exists: put, createRevision});
    }
    return changes;
  }

  /** The change is durable now. */
  settle({id, key}: Change): void {
    if (this.#ahead.get(key)?.changeId === id) this.#ahead.delete(key);
  }

  /** None of what was ahead came to be. */
  reset(): void {
    this.#ahead.clear();
  }
}

/** Throws `invalid-argument` or `too-large`. Returns the bytes of keys and values. */
export function assertTxn(ops: readonly TxnOp[], limits: StoreLimits): number {
  if (ops.length < 1 || ops.length > TXN_STEPS_MAX)
    throw new StoreError('invalid-argument', {
      message: `a transaction must have 1 to ${TXN_STEPS_MAX} steps, this one has ${ops.length}`,
    });
  let bytes = 0;
  for (const op of ops) {
    assertKey(op.key, limits);
    bytes += op.key.length;
    if (op.op !== 'put') continue;
    bytes += op.value.length;
    if (op.value.length > limits.valueBytesMax)
      throw new StoreError('too-large', {
        key: op.key,
        message: `${op.key}: the value has ${op.value.length} bytes; the store allows at most ${limits.valueBytesMax}`,
      });
  }
  if (ops.length > 1) assertDistinct(ops);
  return bytes;
}

function assertDistinct(ops: readonly TxnOp[]): void {
  const keys = new Set<Key>();
  for (const {key} of ops) {
    if (keys.has(key))
      throw new StoreError('invalid-argument', {key, message: `${key}: used twice in one transaction`});
    keys.add(key);
  }
}

function assertKey(key: Key, {keyBytesMax}: StoreLimits): void {
  const fault =
    key.length === 0
      ? 'a key must not be empty'
      : key.includes('\0')
        ? 'a key must not contain NUL'
        : !key.isWellFormed()
          ? 'a key must be valid Unicode'
          : key.length * 3 > keyBytesMax && Buffer.byteLength(key) > keyBytesMax
            ? `a key may have at most ${keyBytesMax} bytes`
            : undefined;
  if (fault !== undefined)
    throw new StoreError('invalid-argument', {key, message: `${fault}: ${JSON.stringify(key.slice(0, 80))}`});
}
