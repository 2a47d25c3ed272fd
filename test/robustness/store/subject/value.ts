// SPDX-License-Identifier: Apache-2.0
/** Values whose every byte follows from their id: most up to 3 KB, some up to 100 KB, so that the log is checkpointed now and then. */
import {TORN} from '../../suite/kv/record.ts';

const BAR = 124;
const LARGE_EVERY = 23;
const LARGE = 34;

export function fillingOf(id: string): Uint8Array {
  let hash = 7;
  for (let i = 0; i < id.length; i++) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) >>> 0;
  const bytes = (hash % 3_000) * (hash % LARGE_EVERY === 0 ? LARGE : 1);
  const value = Buffer.alloc(id.length + 1 + bytes, 97 + (hash % 26));
  value.write(`${id}|`);
  return value;
}

/** The id in a value that is whole, or TORN. Ids are ASCII. */
export function idOf(value: Uint8Array): string {
  const id = Buffer.from(value.buffer, value.byteOffset, Math.max(0, value.indexOf(BAR))).toString('latin1');
  return Buffer.compare(value, fillingOf(id)) === 0 ? id : TORN;
}
