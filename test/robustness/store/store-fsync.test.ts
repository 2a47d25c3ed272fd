// SPDX-License-Identifier: Apache-2.0
/**
 * Invariant 1 as the kernel sees it: when a write is answered, the bytes that hold it were written to the log of the database
 * and a sync of that file, begun after them, has returned. Writes in flight together share one.
 * (That COMMIT and answer keep this order at any interleaving is durability.test.ts of the store, without strace.)
 */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {STORE_FILE} from '@palisade/store/sqlite';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {type TraceEvent, traceOf, whyNoTrace} from './sync-trace.ts';

const WRITER = fileURLToPath(new URL('./store-sync-writer.ts', import.meta.url));
const whyNot = whyNoTrace();

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-fsync-'));
});
afterEach(() => rm(dir, {recursive: true}));

type Round = {
  /** Answers that came while bytes of the log were not on the disk, or though none were written and synced for them. */
  readonly early: readonly string[];
  readonly syncs: number;
};

/** What happened between `ready` and `done`. A round begins when the one before is answered, so that no other batch is under way. */
const judge = (events: readonly TraceEvent[], inFlight: number): Round => {
  const from = events.findIndex(event => event.kind === 'said' && event.line === 'ready');
  const to = events.findIndex(event => event.kind === 'said' && event.line === 'done');
  const log = join(dir, `${STORE_FILE}-wal`);
  const early: string[] = [];
  let [syncs, answers] = [0, 0];
  /** Of the round: `dirty` bytes are written, `covered` by a sync under way, or `synced`. */
  let bytes: 'none' | 'dirty' | 'covered' | 'synced' = 'none';
  for (const event of events.slice(from + 1, to)) {
    if (event.kind === 'said') {
      if (bytes !== 'synced') early.push(event.line);
      if (++answers % inFlight === 0) bytes = 'none';
    } else if (event.file !== log) continue;
    else if (event.kind === 'write begins') bytes = 'dirty';
    else if (event.kind === 'sync begins') bytes = bytes === 'dirty' ? 'covered' : bytes;
    else {
      syncs++;
      bytes = bytes === 'covered' ? 'synced' : bytes;
    }
  }
  expect(answers % inFlight).toBe(0);
  return {early, syncs};
};

const run = (inFlight: number, rounds: number, ...mode: readonly string[]): Round => {
  const words = [process.execPath, WRITER, dir, String(inFlight), String(rounds), ...mode];
  return judge(traceOf(words, join(dir, 'trace')), inFlight);
};

describe.skipIf(whyNot !== undefined)(`fsync${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  test('one by one, every answer comes after a sync of its own', () => {
    const {early, syncs} = run(1, 60);
    expect(early).toEqual([]);
    expect(syncs).toBeGreaterThanOrEqual(60);
  });

  test('32 in flight share a sync, and none is answered before it', () => {
    const {early, syncs} = run(32, 20);
    expect(early).toEqual([]);
    expect(syncs).toBeGreaterThanOrEqual(20);
    expect(syncs).toBeLessThanOrEqual(20 + 1); // and the head of the log, once
  });

  test('the measure itself finds a store whose COMMIT does not wait for the disk', () => {
    const {early} = run(1, 20, 'unsynced');
    expect(early.length).toBeGreaterThanOrEqual(19);
  });
});
