// SPDX-License-Identifier: Apache-2.0
/** Damage in the write-ahead log of a store whose process was killed: nothing that was answered is dropped in silence. */
import {cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {acceptLoss, inspectLog, type WalTail} from '@palisade/store/sqlite';
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {openInline} from './inline-store.ts';
import {Child} from './store-child.ts';

vi.setConfig({testTimeout: 60_000}); // a busy machine takes its time

const HEADER = 32;
const FRAME = 24 + 8_192;
const CREATES = 40;

let root = '';
/** What a killed process left after 40 creates, each answered: never changed. */
let killed = '';
let frames = 0;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'palisade-wal-'));
  killed = join(root, 'killed');
  const child = new Child();
  await child.ask(`open ${killed}`);
  for (let n = 1; n <= CREATES; n++) expect(await child.ask(`put /k${n} 500`)).toBe(`ok ${n}`);
  await child.kill();
  frames = (readFileSync(join(killed, 'store.db-wal')).length - HEADER) / FRAME;
});
afterAll(() => rmSync(root, {recursive: true}));

let dir = '';
let wal = '';
beforeEach(() => {
  dir = mkdtempSync(join(root, 'case-'));
  wal = join(dir, 'store.db-wal');
  cpSync(killed, dir, {recursive: true});
});
afterEach(() => rmSync(dir, {recursive: true}));

const damage = (change: (content: Buffer) => void): void => {
  const content = readFileSync(wal);
  change(content);
  writeFileSync(wal, content);
};
const flip = (at: number, bit = 2): void =>
  damage(content => {
    content[at] = (content[at] ?? 0) ^ (1 << bit);
  });
const inFrame = (frame: number, at: number): number => HEADER + frame * FRAME + at;
/** Where the last transaction begins: behind the commit frame before the last frame. */
const lastTransaction = (): number => {
  const content = readFileSync(join(killed, 'store.db-wal'));
  let frame = frames - 1;
  while (content.readUInt32BE(inFrame(frame - 1, 4)) === 0) frame--;
  return inFrame(frame, 0);
};

/** Opens the store: how many keys there are, the next revision, and what was cut. */
const start = async () => {
  const torn: WalTail[] = [];
  await using store = await openInline({dir, onTornTail: tail => torn.push(tail)});
  const {entries} = await store.list('', {limit: 100});
  return {keys: entries.length, next: await store.put('/new', new Uint8Array(3)), torn};
};
/** The start is refused, twice, and both files stay as they are. */
const expectRefused = async (...words: string[]): Promise<void> => {
  const before = [readFileSync(wal), readFileSync(join(dir, 'store.db'))];
  for (let i = 0; i < 2; i++) {
    const error = await start().then(() => undefined, String);
    for (const word of [wal, ...words]) expect(error).toContain(word);
  }
  expect([readFileSync(wal), readFileSync(join(dir, 'store.db'))]).toEqual(before);
};

test('F-02 40 creates were answered, one bit flips in the middle: the start is refused and names the revisions and the way out', async () => {
  const at = Math.floor(frames / 2);
  flip(inFrame(at, 4_000));
  await expectRefused(`damaged at byte ${inFrame(at, 0)}`, '(revisions 20 to 40)', 'restore the folder from a backup');
  await expect(openInline({dir})).rejects.toMatchObject({code: 'lost-writes'});
});

test('F-02 whichever bit flips: the start is refused, or it was in the last transaction, which is cut, reported and not numbered again', async () => {
  const bits = readFileSync(wal).length * 8;
  for (let seed = 1; seed <= 40; seed++) {
    cpSync(join(killed, 'store.db'), join(dir, 'store.db'));
    cpSync(join(killed, 'store.db-wal'), wal);
    const bit = Math.floor(seededRandom(seed)() * bits);
    const at = Math.floor(bit / 8);
    flip(at, bit % 8);
    const outcome = await start().catch((error: unknown) => error);
    const said = `seed ${seed}, byte ${at}`;
    if (at < lastTransaction()) expect(outcome, said).toMatchObject({code: 'lost-writes'});
    else {
      expect(outcome, said).toMatchObject({keys: CREATES - 1, torn: [{commits: 1}]});
      expect((outcome as {next: bigint}).next, said).toBeGreaterThan(BigInt(CREATES));
    }
  }
});

describe('F-02 damage that is more than one bit, or elsewhere', () => {
  test('in the header, for which SQLite ignores all of the log', async () => {
    flip(9);
    await expectRefused('its header is damaged', '40 transactions (revisions 1 to 40)');
  });

  test('a sector at the start of the log', async () => {
    damage(content => content.fill(0, 0, 4_096));
    await expectRefused('its header is damaged', 'revisions 1 to 40');
  });

  test('in the salt of a frame that commits, with one transaction behind it', async () => {
    flip(lastTransaction() - FRAME + 9);
    await expectRefused('2 transactions (revisions 39 to 40)');
  });

  test('the last transaction is damaged too: the end of the revisions is unknown', async () => {
    flip(inFrame(Math.floor(frames / 2), 100));
    flip(inFrame(frames - 1, 500));
    await expectRefused('21 transactions (revisions 20 to 39)');
  });

  test('the log ends in the middle of a frame: a torn transaction', async () => {
    truncateSync(wal, lastTransaction() + 3_000);
    expect(await start()).toMatchObject({
      keys: CREATES - 1,
      torn: [{offset: lastTransaction(), bytes: 3_000, commits: 1}],
    });
  });

  test('the log ends before a commit: what was not answered is cut, and its revision is used', async () => {
    truncateSync(wal, lastTransaction() + 10);
    expect(await start()).toMatchObject({keys: CREATES - 1, next: 40n, torn: [{bytes: 10, commits: 0}]});
  });

  test('a torn tail is reported once: it is gone from the log afterwards', async () => {
    flip(inFrame(frames - 1, 500));
    expect((await start()).torn).toHaveLength(1);
    expect((await start()).torn).toEqual([]);
  });
});

test('F-02 frames of an older generation behind a log that began again are no damage', async () => {
  const place = join(dir, 'reset');
  const child = new Child();
  await child.ask(`open ${place}`);
  for (let n = 0; n < 7; n++) await child.ask(`put /large${n} 3000000`); // beyond wal_autocheckpoint: the log begins again
  await child.ask('put /small 10');
  await child.kill();
  const log = join(place, 'store.db-wal');
  const content = readFileSync(log);
  const generations = new Set<string>();
  for (let at = HEADER; at + FRAME <= content.length; at += FRAME)
    generations.add(content.toString('hex', at + 8, at + 16));
  expect(generations.size).toBe(2);
  content[content.length - 100] = (content.at(-100) ?? 0) ^ 1;
  writeFileSync(log, content);
  const torn: WalTail[] = [];
  await using store = await openInline({dir: place, onTornTail: tail => torn.push(tail)});
  expect(await store.currentRevision()).toBe(8n);
  expect(torn).toEqual([]);
});

describe('F-02 the loss is accepted', () => {
  test('what is whole stays, the damaged log is kept aside, and no revision is handed out a second time', async () => {
    flip(inFrame(Math.floor(frames / 2), 4_000));
    const damaged = readFileSync(wal);
    expect(inspectLog(join(dir, 'store.db'))).toMatchObject({
      state: 'lost',
      what: '21 transactions (revisions 20 to 40)',
    });
    expect(readFileSync(wal)).toEqual(damaged);
    const done = acceptLoss(join(dir, 'store.db'));
    expect(readFileSync(done?.copy ?? '')).toEqual(damaged);
    expect(done?.revision).toBeGreaterThanOrEqual(CREATES);
    await using store = await openInline({dir});
    expect((await store.list('', {limit: 100})).entries).toHaveLength(19);
    await expect(store.get('/k1', 40n)).rejects.toMatchObject({code: 'compacted'});
    expect(await store.put('/new', new Uint8Array(3))).toBe(BigInt(done?.revision ?? 0) + 1n);
  });

  test('a whole log loses nothing and is not touched', async () => {
    expect(acceptLoss(join(dir, 'store.db'))).toBeUndefined();
    expect(existsSync(`${wal}.damaged-1`)).toBe(false);
    expect(await start()).toMatchObject({keys: CREATES, next: 41n, torn: []});
  });
});
