// SPDX-License-Identifier: Apache-2.0
/**
 * A line on stdout that is out when the call returns, so that it outlives a kill -9. Not by process.stdout: what finds
 * no room in the pipe is kept by the process there, and lost with it. A full pipe (EAGAIN) is waited for.
 */
import {writeSync} from 'node:fs';

const BETWEEN_TRIES_MS = 1;
const nobody = new Int32Array(new SharedArrayBuffer(4));

export function say(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; rest = rest.subarray(write(rest)));
}

/** How many bytes the pipe took: none when it is full. */
function write(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(nobody, 0, 0, BETWEEN_TRIES_MS);
    return 0;
  }
}
