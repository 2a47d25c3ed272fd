// SPDX-License-Identifier: Apache-2.0
import {existsSync} from 'node:fs';
import {expect, test} from 'vitest';
import {trimMalloc} from './release-memory.ts';

/** Musl has no malloc_trim; glibc says where it is. */
const hasGlibc = process.platform === 'linux' && existsSync('/lib64/ld-linux-x86-64.so.2');

test.runIf(hasGlibc)('what the C library holds free goes back to the system (needs glibc)', () => {
  const kept: Buffer[] = [];
  const blocks = Array.from({length: 20_000}, (_, i) => {
    const block = Buffer.allocUnsafeSlow(3_000).fill(1);
    if (i % 50 === 0) kept.push(block); // pins the heap, so that it cannot shrink from its top
    return block;
  });
  expect(blocks).toHaveLength(20_000);
  expect(trimMalloc()).toBe(true);
});
