// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {FrameQueue, pcapHeader, SNAP_BYTES} from './frame-queue.ts';

const CHUNK = 256 * 1024;
const RECORD = 16;
type Frame = {time: number; bytes: Buffer};

/** Reads a capture stream back. */
const parse = (stream: Buffer): Frame[] => {
  const frames: Frame[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = stream.readUInt32LE(at + 8);
    expect(stream.readUInt32LE(at + 12)).toBe(size);
    frames.push({
      time: stream.readUInt32LE(at) * 1000 + stream.readUInt32LE(at + 4) / 1000,
      bytes: stream.subarray(at + RECORD, at + RECORD + size),
    });
    at += RECORD + size;
  }
  return frames;
};

const drain = (queue: FrameQueue): Buffer => {
  const parts: Buffer[] = [];
  for (let part = queue.next(); part !== undefined; part = queue.next()) {
    parts.push(Buffer.from(part));
    queue.wrote(part.length);
  }
  return Buffer.concat(parts);
};

/** A frame that says which one it is. */
const numbered = (number: number, size: number): Buffer => {
  const frame = Buffer.alloc(Math.max(size, 14), number & 0xff);
  frame.writeUInt32BE(number, 0);
  return frame;
};

describe('FrameQueue', () => {
  test('frames come out as capture records, in order, without the bytes before `start`', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 4);
    queue.push(Buffer.from('headerAAAA'), 6, 1_700_000_000_123);
    queue.push(Buffer.from('headerBBBB'), 6, 1_700_000_000_456);
    expect(parse(drain(queue)).map(({time, bytes}) => [time, bytes.toString()])).toEqual([
      [1_700_000_000_123, 'AAAA'],
      [1_700_000_000_456, 'BBBB'],
    ]);
    expect(queue.pendingBytes).toBe(0);
  });

  test('time never runs backwards', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 4);
    for (const ms of [5000, 4000, 6000]) queue.push(Buffer.alloc(20), 0, ms);
    expect(parse(drain(queue)).map(frame => frame.time)).toEqual([5000, 5000, 6000]);
  });

  test('the largest frame passes, a larger one does not; the file header names that length', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 4);
    expect(queue.push(Buffer.alloc(SNAP_BYTES), 0, 1)).toBe(true);
    expect(queue.push(Buffer.alloc(SNAP_BYTES + 1), 0, 1)).toBe(false);
    expect(pcapHeader().readUInt32LE(16)).toBe(SNAP_BYTES);
  });

  test('beyond its bound frames are refused until something was written', () => {
    const queue = new FrameQueue(CHUNK, 2000);
    const frame = Buffer.alloc(984); // 1000 with its header
    expect([queue.push(frame, 0, 1), queue.push(frame, 0, 1), queue.push(frame, 0, 1)]).toEqual([true, true, false]);
    queue.wrote(1000);
    expect(queue.push(frame, 0, 1)).toBe(true);
    expect(queue.pendingBytes).toBe(2000);
  });

  test('after a crash it goes on with the record that was being read; nothing twice, nothing left out', () => {
    const sizes = fc.array(fc.integer({min: 14, max: 3000}), {minLength: 1, maxLength: 400});
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (all, writtenSeed, unreadSeed) => {
        const queue = new FrameQueue(CHUNK, CHUNK * 64);
        for (const [number, size] of all.entries()) queue.push(numbered(number, size), 0, number);
        const stream = all.reduce((sum, size) => sum + size + RECORD, 0);
        const written = writtenSeed % (stream + 1);
        for (let left = written; left > 0; ) {
          const part = Math.min(queue.next()?.length ?? 0, left);
          queue.wrote(part);
          left -= part;
        }
        const unread = unreadSeed % (Math.min(written, 64 * 1024) + 1);
        queue.rewind(unread);
        const read = written - unread;
        let end = 0;
        const whole = all.findIndex(size => {
          end += size + RECORD;
          return end > read;
        });
        const expected = all.map((_, number) => number).slice(whole < 0 ? all.length : whole);
        expect(parse(drain(queue)).map(frame => frame.bytes.readUInt32BE(0))).toEqual(expected);
        expect(queue.pendingBytes).toBe(0);
      }),
      {seed: 20261121, numRuns: 300},
    );
  });

  test('a reader that dies before it read anything gets no frame of its predecessor again, and casts doubt on none', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 4);
    for (let number = 0; number < 3; number++) queue.push(numbered(number, 100), 0, number);
    const first = drain(queue);
    queue.beginReader();
    queue.push(numbered(3, 100), 0, 3);
    const second = drain(queue);
    expect(queue.rewind(second.length + pcapHeader().length)).toBe(0); // the file header is in the pipe, too
    queue.beginReader();
    expect(parse(Buffer.concat([first, drain(queue)])).map(frame => frame.bytes.readUInt32BE(0))).toEqual([0, 1, 2, 3]);
  });

  test('what a dead reader had perhaps not inspected is counted, but for frames that do not count', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 4);
    for (let number = 0; number < 3; number++) queue.push(numbered(number, 100), 0, number);
    drain(queue);
    expect([queue.rewind(0), queue.rewind(0, frame => frame.readUInt32BE(0) !== 1), queue.rewind(116)]).toEqual([
      3, 2, 2,
    ]);
  });

  test('what is thrown away is counted, but for frames that do not count; then it takes frames as before', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 64);
    const FRAMES = 1000; // several chunks
    for (let number = 0; number < FRAMES; number++) queue.push(numbered(number, 600), 0, number);
    const taken = parse(queue.next() ?? Buffer.alloc(0)).length;
    queue.wrote(queue.next()?.length ?? 0);
    const isOdd = (frame: Buffer): boolean => frame.readUInt32BE(0) % 2 === 1;
    const odd = Array.from({length: FRAMES}, (_, number) => number).filter(
      number => number >= taken && number % 2 === 1,
    );
    expect([taken > 100, queue.discard(isOdd), queue.pendingBytes, queue.next(), queue.discard(isOdd)]).toEqual([
      true,
      odd.length,
      0,
      undefined,
      0,
    ]);
    queue.push(numbered(7, 100), 0, 9000);
    expect(parse(drain(queue)).map(frame => frame.bytes.readUInt32BE(0))).toEqual([7]);
  });

  test('it stays right over many chunks, writes and crashes', () => {
    const queue = new FrameQueue(CHUNK, CHUNK * 64);
    const seen: number[] = [];
    let rest = Buffer.alloc(0);
    let number = 0;
    for (let round = 0; round < 200; round++) {
      for (let i = 0; i < 100; i++) queue.push(numbered(number++, 600), 0, number);
      const part = queue.next();
      if (part === undefined) continue;
      queue.wrote(part.length);
      rest = Buffer.concat([rest, part]);
      if (round % 7 !== 3) continue;
      // The reader got all but the last 1000 bytes, then died: of the rest it processed the whole records.
      const read = rest.subarray(0, rest.length - 1000);
      const whole = Math.floor(read.length / 616) * 616;
      seen.push(...parse(read.subarray(0, whole)).map(frame => frame.bytes.readUInt32BE(0)));
      rest = Buffer.alloc(0);
      expect(queue.rewind(1000)).toBeLessThanOrEqual(Math.ceil(4096 / 616));
    }
    seen.push(...parse(Buffer.concat([rest, drain(queue)])).map(frame => frame.bytes.readUInt32BE(0)));
    expect(seen).toEqual(Array.from({length: number}, (_, i) => i));
  });
});
