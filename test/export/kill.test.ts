// SPDX-License-Identifier: Apache-2.0
/**
 * kill -9 of a server with an exporter, in the middle of batches, and receivers that go away: every id that the store has arrives.
 *
 * A store lives through some rounds. Each starts a process that stores records and sends them (support/export-child.ts), and kills it at
 * a moment that the seed chooses: when so many records came that are not confirmed yet, right after a confirmation, before the cursor is
 * saved, or when so many are stored. In some rounds the receiver is away: until the kill, or until so many more are stored. A last
 * process sends the rest; then the ids of the receiver are compared with those of the store, and those with what was stored.
 *
 * A run prints its seed; PALISADE_SEED=n repeats it, up to the scheduling of the machine. PALISADE_SOAK=1: 30 rounds in place of 4.
 *
 * Track record: nothing found so far.
 */
import {spawn} from 'node:child_process';
import {randomInt} from 'node:crypto';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {seededRandom} from '../robustness/suite/random.ts';
import {say} from '../robustness/suite/say.ts';
import {type KillReceiver, type Moment, RECEIVERS, type ReceiverKind} from './support/kill-receivers.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const ROUNDS = SOAK ? 30 : 4;
const SEED = Number(process.env['PALISADE_SEED'] ?? randomInt(1_000_000));
const CHILD = fileURLToPath(new URL('./support/export-child.ts', import.meta.url));

const ignore = (): void => undefined;

type Round = {
  readonly kill: Moment | 'stored';
  readonly count: number;
  readonly away: 'no' | 'always' | 'until';
  /** Records that are stored before the receiver is back. */
  readonly back: number;
};

const roundOf = (random: () => number, {isNeverAway = false, confirms}: ReceiverKind): Round => {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const away = isNeverAway ? 'no' : pick(['no', 'no', 'always', 'until'] as const);
  const kill = away === 'always' ? 'stored' : pick(['seen', 'seen', confirms ? 'done' : 'seen', 'stored'] as const);
  return {kill, away, count: 1 + Math.floor(random() ** 2 * 600), back: Math.floor(random() * 300)};
};

const startChild = (mode: 'store' | 'send', dir: string, {url, options = {}, files = {}}: KillReceiver) =>
  spawn(process.execPath, [CHILD, mode, join(dir, 'records'), url, JSON.stringify({options}), JSON.stringify(files)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
type Child = ReturnType<typeof startChild>;

type Life = {readonly stored: number; readonly ids: readonly string[]; readonly signal: NodeJS.Signals | null};

/** What the process said until it ended. */
const lifeOf = async (child: Child, onStored: (inLife: number) => void, onSent: () => void): Promise<Life> => {
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()));
  let complaint = '';
  child.stderr.on('data', chunk => {
    complaint += chunk;
  });
  let [stored, first, ids] = [0, -1, [] as string[]];
  for await (const line of createInterface({input: child.stdout})) {
    const [word, rest = ''] = line.split(/ (.*)/s);
    if (word === 'ids') ids = JSON.parse(rest);
    if (word === 'sent') onSent();
    if (word !== 'stored') continue;
    stored = Number(rest);
    if (first < 0) first = stored;
    onStored(stored - first);
  }
  await ended;
  expect(complaint).toBe('');
  return {stored, ids, signal: child.signalCode};
};

const runRound = async (dir: string, receiver: KillReceiver, {kill, count, away, back}: Round): Promise<Life> => {
  if (away === 'no') await receiver.start();
  const child = startChild('store', dir, receiver);
  const end = (): void => void child.kill('SIGKILL');
  let came = 0;
  let isBack: Promise<void> | undefined;
  receiver.onRecords = (moment, records) => {
    if (moment === 'seen') came += records;
    if (moment === kill && came >= count) end();
  };
  const onStored = (inLife: number): void => {
    if (away === 'until' && inLife >= back) isBack ??= receiver.start();
    if (kill === 'stored' && inLife >= count) end();
  };
  const life = await lifeOf(child, onStored, end);
  receiver.onRecords = ignore;
  await isBack;
  if (away === 'no' || isBack !== undefined) await receiver.stop();
  expect(life.signal).toBe('SIGKILL');
  return life;
};

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'export-kill-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

describe.each(RECEIVERS)('the exporter $name', kind => {
  const {name, whyNot, open} = kind;
  test.skipIf(whyNot !== '')(
    `44-5 every id arrives, however often the server is killed in mid-batch${whyNot}`,
    async () => {
      say(`kill -9 of the exporter ${name}: PALISADE_SEED=${SEED}`);
      const random = seededRandom(SEED);
      const receiver = await open(dir);
      let stored = 0;
      let met = '';
      for (let round = 0; round < ROUNDS; round++) {
        const plan = roundOf(random, kind);
        met = JSON.stringify({SEED, round, ...plan});
        const life = await runRound(dir, receiver, plan);
        stored = Math.max(stored, life.stored);
      }
      await receiver.start();
      const child = startChild('send', dir, receiver);
      const {ids, signal} = await lifeOf(child, ignore, ignore);
      expect({signal, met}).toEqual({signal: null, met});
      expect(ids.length).toBeGreaterThanOrEqual(stored);
      const missing = (): readonly string[] => {
        const came = receiver.ids(); // of some receivers a whole file is read for it
        return ids.filter(id => !came.has(id));
      };
      await expect.poll(missing).toEqual([]);
      await receiver.stop();
      await receiver.close?.();
    },
    SOAK ? 600_000 : 90_000,
  );
});
