// SPDX-License-Identifier: Apache-2.0
import {Writable} from 'node:stream';
import {expect, test} from 'vitest';
import {writeBlocks} from './write-blocks.ts';

const LINE = `${'x'.repeat(99)}\n`;

/** Takes a block when told. */
class SlowReader extends Writable {
  readonly blocks: string[] = [];
  #take: ((error?: Error) => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    this.blocks.push(chunk.toString());
    this.#take = done;
  }

  take(error?: Error): void {
    this.#take?.(error);
  }
}

test('no text is asked for before the reader has taken the block', async () => {
  const reader = new SlowReader();
  let asked = 0;
  const lines = function* () {
    for (; asked < 5_000; asked++) yield LINE;
  };
  const done = writeBlocks(reader, lines());
  for (let taken = 1; taken < 8; taken++) {
    await expect.poll(() => reader.blocks.length).toBe(taken);
    expect(asked).toBeLessThan(taken * 700);
    reader.take();
  }
  await expect.poll(() => reader.blocks.length).toBe(8);
  reader.take();
  await done;
  expect(reader.blocks.join('')).toBe(LINE.repeat(5_000));
});

test('nothing is written after a failure', async () => {
  const reader = new SlowReader();
  reader.on('error', () => undefined);
  const done = writeBlocks(reader, Array<string>(5_000).fill(LINE));
  reader.take(new Error('gone'));
  await done;
  expect(reader.blocks.length).toBe(1);
});
