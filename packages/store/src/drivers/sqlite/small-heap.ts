// SPDX-License-Identifier: Apache-2.0
/**
 * The thread of the store keeps nothing between two requests, so it needs little memory of its own. V8 lets a flag of the
 * process go before what a thread is given, so the flag is set when the thread is made; a heap that is there already does not
 * look at it again. Ref: docs/adr/0006-memory.md.
 */
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';

/** MiB of each half of the young generation. */
const YOUNG_MIB = 1;

/** For the heaps of threads that are made from now on. */
export const makeNextHeapsSmall = (): void => {
  setFlagsFromString(`--min-semi-space-size=${YOUNG_MIB}`);
  setFlagsFromString(`--max-semi-space-size=${YOUNG_MIB}`);
};

/**
 * Collects what the start of this thread left behind; takes tens of milliseconds. Of the flavours of collection, "last resort"
 * alone also shrinks the young generation and frees V8's pool of pages, which it would do by itself after eight idle seconds.
 * The flag that shows gc() is the process's: where another thread takes it back in between, nothing is collected.
 */
export const settleHeap = (): void => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('globalThis.gc') as ((options: object) => void) | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({type: 'major', execution: 'sync', flavor: 'last-resort'});
};
