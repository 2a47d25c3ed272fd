// SPDX-License-Identifier: Apache-2.0
/**
 * Every frame of a small log, cut and zeroed, and every state of a checkpoint that was cut short: all answered writes are
 * there, or the start is refused with `lost-writes`, or what is missing is the last commit, which a power cut can tear.
 */
import {copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {DatabaseSync} from 'node:sqlite';
import type {Store} from '@palisade/store';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {framesOf} from '../suite/damage.ts';
import {seededRandom} from '../suite/random.ts';
import {openInline} from './inline-store.ts';
import {fillingOf, idOf} from './subject/value.ts';

const PAGE = 8_192;
const COMMITS = 16;
/** Every fifth commit has three keys, and takes several frames. */
const keysOf = (n: number): string[] => (n % 5 === 0 ? ['x', 'y', 'z'].map(name => `/t/${name}`) : [`/k/${n % 7}`]);

let root = '';
/** What a killed process left after its answers: files and log. Never changed. */
let killed = '';
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'palisade-frames-'));
  const live = join(root, 'live');
  killed = join(root, 'killed');
  mkdirSync(live);
  await using store = await openInline({dir: live});
  for (let n = 1; n <= COMMITS; n++)
    expect(await store.txn(keysOf(n).map(key => ({op: 'put', key, value: fillingOf(`${n}`)})))).toBe(BigInt(n));
  cpSync(live, killed, {recursive: true}); // nothing is under way: as a kill leaves it
});
afterAll(() => rmSync(root, {recursive: true}));

/** Every key and its id after so many commits. */
const stateAfter = (commits: number): Record<string, string> => {
  const state: Record<string, string> = {};
  for (let n = 1; n <= commits; n++) for (const key of keysOf(n)) state[key] = `${n}`;
  return state;
};
const stateOf = async (store: Store): Promise<Record<string, string>> => {
  const {entries} = await store.list('', {limit: 100});
  return Object.fromEntries(entries.map(({key, value}) => [key, idOf(value)]));
};

/** How many commits are there, whole; or the code of the refusal. */
async function open(dir: string): Promise<number | string> {
  try {
    await using store = await openInline({dir});
    const state = await stateOf(store);
    const commits = Math.max(0, ...Object.values(state).map(Number));
    expect(state).toEqual(Object.fromEntries(Object.entries(stateAfter(commits)).sort()));
    return commits;
  } catch (error) {
    return (error as {code?: string}).code ?? String(error);
  }
}

/** What the first start finds, every later one finds too. */
async function served(dir: string): Promise<number | string> {
  const found = await open(dir);
  if (found !== COMMITS) expect(await open(dir)).toBe(found);
  return found;
}

const damaged = async (change: (wal: string) => void): Promise<number | string> => {
  const dir = mkdtempSync(join(root, 'case-'));
  cpSync(killed, dir, {recursive: true});
  change(join(dir, 'store.db-wal'));
  const found = await served(dir);
  rmSync(dir, {recursive: true});
  return found;
};

/** Of each frame: how many commits end before it, and whether it ends one. */
const framesOfLog = (log: Buffer) => {
  const {starts, bytes} = framesOf(log);
  let commits = 0;
  return starts.map(at => {
    const before = commits;
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (isCommit) commits++;
    return {at, bytes, before, isCommit};
  });
};

test('48-1 the log is cut at every frame, and in the middle of every frame: whole commits from the start remain, none in part', async () => {
  const frames = framesOfLog(readFileSync(join(killed, 'store.db-wal')));
  expect(frames.length).toBeGreaterThan(COMMITS);
  for (const {at, bytes, before} of frames)
    for (const cut of [at, at + 10, at + bytes - 1])
      expect([cut, await damaged(wal => truncateSync(wal, cut))]).toEqual([cut, before]);
});

/**
 * A limit: zeros where the only sign was that the last but one transaction was complete. What follows looks like one torn
 * transaction, as a power cut leaves it when one of its frames did not reach the disk. It is cut, reported, and its revisions
 * are not used again, as with every torn end.
 */
const hidesLastButOne = ({isCommit, before}: {isCommit: boolean; before: number}): boolean =>
  isCommit && before === COMMITS - 2;

test('48-1 every frame is zeroed: lost-writes, or the last commit is cut, or nothing is missing', async () => {
  const frames = framesOfLog(readFileSync(join(killed, 'store.db-wal')));
  const found = new Set<number | string>();
  for (const frame of frames) {
    const {at, bytes, before} = frame;
    for (const [from, to] of [
      [at, at + bytes],
      [at + 24, at + bytes],
      [at + 4_096, at + 4_608],
    ] as const) {
      const outcome = await damaged(wal => writeFileSync(wal, readFileSync(wal).fill(0, from, to)));
      found.add(outcome);
      const isLast = before === COMMITS - 1;
      const allowed: (number | string)[] = [COMMITS, isLast ? COMMITS - 1 : 'lost-writes'];
      if (from === at && hidesLastButOne(frame)) allowed.push(COMMITS - 2);
      expect([from, to, allowed.includes(outcome) ? 'as allowed' : outcome]).toEqual([from, to, 'as allowed']);
    }
  }
  expect(found).toContain('lost-writes');
});

test('48-1 a checkpoint that was cut short: whatever part of its pages is in the file, nothing is missing', async () => {
  const whole = join(root, 'checkpointed');
  cpSync(killed, whole, {recursive: true});
  const db = new DatabaseSync(join(whole, 'store.db'));
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const [before, after] = [readFileSync(join(killed, 'store.db')), readFileSync(join(whole, 'store.db'))];
  db.close();
  expect(after.equals(before)).toBe(false);
  const pages = Math.ceil(after.length / PAGE);
  const random = seededRandom(48);
  /** Pages in order, as SQLite writes them; then in any order, as a disk may; then a page of which a part was written. */
  const parts: ((page: number, sector: number) => boolean)[] = [
    ...Array.from({length: pages + 1}, (_, n) => (page: number) => page < n),
    ...Array.from({length: 25}, () => {
      const chosen = Array.from({length: pages}, () => random() < 0.5);
      return (page: number) => chosen[page] === true;
    }),
    ...Array.from({length: 25}, () => (_: number, __: number) => random() < 0.5),
  ];
  for (const [i, isWritten] of parts.entries()) {
    const dir = mkdtempSync(join(root, 'checkpoint-'));
    copyFileSync(join(killed, 'store.db-wal'), join(dir, 'store.db-wal'));
    const file = Buffer.from(after);
    for (let at = 0; at < file.length; at += 512)
      if (!isWritten(Math.floor(at / PAGE), at)) {
        if (at < before.length) before.copy(file, at, at, at + 512);
        else file.fill(0, at, at + 512);
      }
    writeFileSync(join(dir, 'store.db'), file, {mode: 0o600});
    expect([i, await served(dir)]).toEqual([i, COMMITS]);
    rmSync(dir, {recursive: true});
  }
});
