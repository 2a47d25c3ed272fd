// SPDX-License-Identifier: Apache-2.0
import {appendFile, mkdir, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {Log} from '../ports.ts';
import type {EveAct} from './eve-damage.ts';
import {beginEveRun, listEveFiles} from './eve-files.ts';
import {EveRotation} from './eve-rotation.ts';

const WATCH_MS = 1000;
const BYTES_MAX = 500;
let folder = '';
let uuids = 0;
/** Nothing can be written into a new file. */
let full = false;
const random = {
  uuid: () => {
    if (full) throw new Error('the disk is full');
    return `file-${++uuids}`;
  },
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palisade-rotation-'));
  await beginEveRun(folder, random, undefined);
});
afterEach(() => rm(folder, {recursive: true, force: true}));

const eve = (): string => join(folder, 'eve.json');
const grow = (): Promise<void> => appendFile(join(folder, 'eve.json'), `${'x'.repeat(BYTES_MAX)}\n`);

/** A rotation whose Suricata refuses `refusals` times; what it was asked and what was logged. */
const rotating = (refusals: number) => {
  const asked: string[][] = [];
  const logged: {level: string; fields: object}[] = [];
  const at =
    (level: string) =>
    (fields: object): number =>
      logged.push({level, fields});
  const log: Log = {debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error')};
  const acts: EveAct[] = [];
  const rotation = new EveRotation({
    endpoint: 'e',
    folder,
    random,
    owner: undefined,
    log,
    limits: {watchMs: WATCH_MS, eveRotateRetryFirstMs: 2 * WATCH_MS, eveRotateRetryMostMs: 6 * WATCH_MS},
    damage: {note: act => acts.push(act)},
    reopen: async () => {
      asked.push(await listEveFiles(folder));
      if (asked.length <= refusals) throw new Error('no answer within 10 ms');
    },
  });
  return {rotation, asked, logged, acts};
};

describe('EveRotation', () => {
  test('a file over the limit is moved aside and Suricata is asked once; a smaller one stays', async () => {
    const {rotation, asked} = rotating(0);
    await rotation.look(1, BYTES_MAX);
    expect(asked).toEqual([]);
    await grow();
    await rotation.look(1, BYTES_MAX);
    await rotation.look(1, BYTES_MAX);
    expect(asked).toEqual([['eve.000001.json', 'eve.json']]);
  });

  test('a Suricata that does not reopen is asked again after waits that double up to the limit, told and logged; the file is moved once', async () => {
    const {rotation, asked, logged} = rotating(4);
    await grow();
    const looks: number[] = [];
    for (let look = 1; asked.length < 5; look++) {
      const before = asked.length;
      await rotation.look(1, BYTES_MAX);
      if (asked.length > before) looks.push(look);
      if (asked.length === 4)
        expect(rotation.problem).toBe('the event file cannot be rotated and grows (4 tries): no answer within 10 ms');
    }
    expect(looks).toEqual([1, 3, 7, 13, 19]);
    expect(new Set(asked.map(names => names.join()))).toEqual(new Set(['eve.000001.json,eve.json']));
    expect(rotation.problem).toBeUndefined();
    expect(logged.map(({level}) => level)).toEqual(['warn', 'warn', 'warn', 'warn', 'debug']);
    expect(logged[1]?.fields).toEqual({endpoint: 'e', error: 'no answer within 10 ms', tries: 2, againInMs: 4000});
  });

  test('a new process has the new file open: nothing is asked for its predecessor', async () => {
    const {rotation, asked} = rotating(1);
    await grow();
    await rotation.look(1, BYTES_MAX);
    for (let look = 0; look < 10; look++) await rotation.look(2, BYTES_MAX);
    expect([asked.length, rotation.problem]).toEqual([1, undefined]);
  });

  test('a new file that cannot be made is made at the next try, with its id, and only then Suricata is asked', async () => {
    const {rotation, asked} = rotating(0);
    await grow();
    full = true;
    await rotation.look(1, BYTES_MAX);
    expect([asked, rotation.problem, await listEveFiles(folder)]).toEqual([
      [],
      'the event file cannot be rotated and grows (1 try): the disk is full',
      ['eve.000001.json'],
    ]);
    full = false;
    for (let look = 0; look < 3; look++) await rotation.look(1, BYTES_MAX);
    expect(asked).toEqual([['eve.000001.json', 'eve.json']]);
    expect(await readFile(join(folder, 'eve.json'), 'utf8')).toMatch(
      /^\{"event_type":"palisade","file":"file-\d+"\}\n$/,
    );
  });

  test.each([
    ['deleted', () => rm(eve())],
    ['deleted', () => rename(eve(), `${eve()}.1`)],
    ['replaced', () => rename(eve(), `${eve()}.1`).then(() => writeFile(eve(), 'another\n'))],
    ['replaced', () => rm(eve()).then(() => symlink('/dev/null', eve()))],
    ['replaced', () => rm(eve()).then(() => mkdir(join(eve(), 'with', 'content'), {recursive: true}))],
  ] as const)(
    'F-06 a file that was %s is made again at once, and Suricata is asked to reopen; what is there is not read',
    async (act, damage) => {
      const {rotation, asked, acts} = rotating(1);
      await rotation.begin();
      await using _suricata = await open(eve(), 'a'); // keeps the inode from being used again
      await rotation.check(1);
      await damage();
      await rotation.check(1);
      await rotation.check(1);
      expect([acts, asked, rotation.problem !== undefined]).toEqual([[act], [['eve.json']], true]);
      for (let look = 0; look < 2; look++) await rotation.look(1, BYTES_MAX);
      await rotation.check(1);
      expect([acts, asked.length, rotation.problem]).toEqual([[act], 2, undefined]);
      expect(await readFile(eve(), 'utf8')).toMatch(/^\{"event_type":"palisade","file":"file-\d+"\}\n$/);
    },
  );

  test('F-06 before a run, too, what somebody else put there is put aside: a link, a folder, another file', async () => {
    const {rotation} = rotating(0);
    await rotation.begin();
    for (const damage of [
      () => symlink('/dev/null', eve()),
      () => mkdir(eve()),
      () => writeFile(eve(), '{"event_type":"alert"}\n'),
    ]) {
      await using _reader = await open(eve());
      await rm(eve());
      await damage();
      await rotation.begin();
      expect(await readFile(eve(), 'utf8')).toMatch(/^.*"file":"file-\d+"\}\n.*"run":"file-\d+"\}\n$/);
    }
    expect((await readdir(folder)).filter(name => name.startsWith('replaced-'))).toHaveLength(3);
  });
});
