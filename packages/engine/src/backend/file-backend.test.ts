// SPDX-License-Identifier: Apache-2.0
/** The file backend: locks, history, damaged files, writes that are cut off. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {UnreadableState} from '../engine-error.ts';
import {ownMark, type ProcessMark} from '../process-mark.ts';
import type {System} from '../system.ts';
import {FileBackend, type UpdateRecord} from './file-backend.ts';
import {writeDurably} from './files.ts';

const DEV = {project: 'proj', name: 'dev'};
const UPDATE: UpdateRecord = {
  ...{kind: 'update', startTime: 1, endTime: 2, message: '', environment: {}, config: {}, result: 'succeeded'},
};

let root: string;
let notes: string[];
let nowMs: number;
let uuids: number;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'palisade-backend-'));
  [notes, nowMs, uuids] = [[], Date.UTC(2026, 0, 1), 0];
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

/** The backend as a process sees it; default: this one. */
const backend = (identity: Partial<System['identity']> = {}): FileBackend => {
  const system: System = {
    clock: {now: () => new Date(nowMs)},
    random: {bytes: count => Buffer.alloc(count), uuid: () => `uuid-${uuids++}`},
    timers: {every: () => () => undefined},
    identity: {pid: process.pid, username: 'me', hostname: 'here', mark: ownMark(), ...identity},
  };
  return new FileBackend({root, url: `file://${root}`, system, note: line => notes.push(line)});
};
const at = (path: string): string => join(root, '.pulumi', path);
const put = (path: string, text: string): void => {
  mkdirSync(dirname(at(path)), {recursive: true});
  writeFileSync(at(path), text);
};
const filesIn = (path: string): string[] => (existsSync(at(path)) ? readdirSync(at(path)).sort() : []);
const LOCKS = 'locks/organization/proj/dev';
const CHECKPOINT = 'stacks/proj/dev.json';

describe('a store', () => {
  test('is made in a folder that is there, and recognized again', async () => {
    await backend().open();
    await backend().open();
    expect(readFileSync(at('meta.yaml'), 'utf8')).toBe('version: 1\n');
  });

  test.each<[string, () => void, RegExp]>([
    ['no folder', () => rmSync(root, {recursive: true}), /there is no folder/],
    [
      'another version',
      () => put('meta.yaml', 'version: 2\n'),
      /meta\.yaml has version 2; this engine knows version 1/,
    ],
    ['no version', () => put('meta.yaml', 'x'), /meta\.yaml has version none/],
    ['the layout without projects', () => put('stacks/dev.json', '{}'), /pulumi state upgrade/],
    ['a file in the way', () => writeFileSync(join(root, '.pulumi'), ''), /there is a file where a folder is needed/],
  ])('with %s is refused', async (_, prepare, message) => {
    prepare();
    await expect(backend().open()).rejects.toThrow(message);
  });
});

describe('locks', () => {
  test('F-23 a second process is refused by the name of the first, until it lets go; to let go twice is no fault', async () => {
    const first = await backend().lock(DEV);
    await expect(backend({username: 'you', hostname: 'there'}).lock(DEV)).rejects.toThrow(
      new RegExp(
        `currently locked by 1 lock\\(s\\)[\\s\\S]*created by me@here \\(pid ${process.pid}\\) at 2026-01-01T00:00:00`,
      ),
    );
    expect(filesIn(LOCKS)).toEqual(['uuid-0.json']);
    await first.release();
    await first.release();
    await (await backend().lock(DEV)).release();
    expect(filesIn(LOCKS)).toEqual([]);
  });

  test('F-23 of two that lock at the same moment at most one gets it', async () => {
    const settled = await Promise.allSettled([backend().lock(DEV), backend().lock(DEV)]);
    expect(settled.filter(({status}) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
    expect(filesIn(LOCKS).length).toBe(settled.filter(({status}) => status === 'fulfilled').length);
  });

  const own = {pid: process.pid, hostname: 'here', timestamp: 'then', process: ownMark() as ProcessMark};
  const marked = (more: Partial<ProcessMark>) => ({...own, process: {...own.process, ...more}});
  const gone = {...own, pid: 2 ** 22 + 1};

  test.each<[string, unknown, boolean]>([
    ['a process of this machine that ended', {...gone, process: undefined}, true],
    ['an earlier process of the same number', marked({startTicks: '1'}), true],
    ['a process of an earlier boot', marked({boot: 'other'}), true],
    ['a process that runs', own, false],
    ['another PID namespace', {...marked({namespace: 'pid:[1]'}), pid: gone.pid}, false],
    ['another machine', {...gone, hostname: 'there'}, false],
    ['nothing', null, false],
    ['a number', 5, false],
    ['a list', [], false],
    ['no member of a lock', {}, false],
    ['only the host', {hostname: 'here'}, false],
    ['the pid 0', {...own, pid: 0}, false],
    ['a pid that is no number', {...own, pid: 'x'}, false],
  ])(
    'F-23 one that speaks of %s is removed with a note, or holds until it is cancelled',
    async (_, content, isGone) => {
      put(`${LOCKS}/other.json`, JSON.stringify(content));
      const locking = backend().lock(DEV);
      if (!isGone) {
        await expect(locking).rejects.toThrow('palisade cancel');
        expect(filesIn(LOCKS)).toEqual(['other.json']);
        await backend().unlock(DEV);
        return (await backend().lock(DEV)).release();
      }
      await (await locking).release();
      expect([filesIn(LOCKS), notes]).toEqual([
        [],
        [expect.stringMatching(/^the lock of a process that ended \(pid \d+, then\)/)],
      ]);
    },
  );

  test.each([
    ['half of a lock holds', '{"pid":', false],
    ['a file without content is one that is being written', '', true],
  ])('F-23 %s', async (_, text, isFree) => {
    put(`${LOCKS}/other.json`, text);
    const locking = backend().lock(DEV);
    if (!isFree) return expect(locking).rejects.toThrow('palisade cancel');
    await (await locking).release();
    expect(filesIn(LOCKS)).toEqual(['other.json']);
  });

  test('unlock removes them all with what the CLI keeps beside them, and says how many there were', async () => {
    for (const name of ['a.json', 'a.json.attrs', 'b.json']) put(`${LOCKS}/${name}`, '{}');
    expect([await backend().unlock(DEV), filesIn(LOCKS)]).toEqual([2, []]);
  });
});

describe('the checkpoint', () => {
  test('is replaced as a whole; the one before stays as .bak', async () => {
    expect(await backend().exists(DEV)).toBe(false);
    await backend().save(DEV, '{"n":1}');
    await backend().save(DEV, [Buffer.from('{"n":'), Buffer.from('2}')]);
    expect([await backend().load(DEV), await backend().list()]).toEqual([{n: 2}, [DEV]]);
    expect(JSON.parse(readFileSync(at(`${CHECKPOINT}.bak`), 'utf8')).checkpoint).toEqual({
      stack: 'organization/proj/dev',
      latest: {n: 1},
    });
  });

  test.each([
    ['nothing', ''],
    ['half of it', '{"version":3,"checkpoint":{"latest":{"res'],
    ['another document', '{"version":3}'],
    ['a list as the deployment', '{"version":3,"checkpoint":{"latest":[]}}'],
  ])('F-05 that holds %s is refused with the file and the way back', async (_, text) => {
    put(CHECKPOINT, text);
    const error = await backend()
      .load(DEV)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnreadableState);
    expect(String(error)).toContain(`copy ${at(CHECKPOINT)}.bak over ${at(CHECKPOINT)}`);
  });

  test.each([
    [
      '{"version":4,"checkpoint":{"latest":{"manifest":{"version":"v4.1.0"}}}}',
      'its state has version 4, written by Pulumi v4.1.0, and this engine reads version 3; use that program, or a newer palisade',
    ],
    ['{"version":4,"checkpoint":{}}', 'its state has version 4, written by another program'],
    [
      '{"version":2,"checkpoint":{"latest":{}}}',
      'its state has version 2, and this engine reads version 3; run "pulumi up"',
    ],
    ['{"checkpoint":{"latest":{}}}', 'its state has version none'],
  ])('48-4 of another version is refused with the program that reads it: %s', async (text, words) => {
    put(CHECKPOINT, text);
    await expect(backend().load(DEV)).rejects.toThrow(`${at(CHECKPOINT)}: ${words}`);
    expect(readFileSync(at(CHECKPOINT), 'utf8')).toBe(text);
  });

  test.each(['gz', 'zst'])('that is compressed (.%s) is not taken for one that is not there', async ending => {
    put(`${CHECKPOINT}.${ending}`, 'x');
    for (const read of ['exists', 'load'] as const)
      await expect(backend()[read](DEV)).rejects.toThrow('compressed state is not supported');
  });

  test('of no stack: no stack named', async () => {
    await expect(backend().load(DEV)).rejects.toThrow("no stack named 'dev' found");
  });

  test('a name that would lead elsewhere, and a link above the files, are refused', async () => {
    expect(() => backend().stackFile({project: '..', name: 'dev'})).toThrow('project name ".."');
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'a.json'), '{}');
    mkdirSync(at('locks/organization/proj'), {recursive: true});
    symlinkSync(outside, at(LOCKS));
    await expect(backend().unlock(DEV)).rejects.toThrow(`points to ${outside}`);
    expect(readdirSync(outside)).toEqual(['a.json']);
  });
});

describe('writes that are cut off', () => {
  test('leave the old content, and no file beside it', async () => {
    const path = join(root, 'file');
    await writeDurably(path, 'old');
    const broken = [Buffer.from('new'), 5 as unknown as Uint8Array];
    await expect(writeDurably(path, broken, {keepPrevious: `${path}.bak`})).rejects.toThrow();
    expect([readdirSync(root), readFileSync(path, 'utf8')]).toEqual([['file'], 'old']);
  });

  test('a temporary file of a process that was killed is neither read nor listed', async () => {
    await backend().save(DEV, '{"n":1}');
    put(`${CHECKPOINT}.tmp-0a1b2c3d4e5f`, '{"version":3,"che');
    expect([await backend().load(DEV), await backend().list()]).toEqual([{n: 1}, [DEV]]);
  });

  test('where the previous one cannot be kept, nothing is replaced', async () => {
    const path = join(root, 'file');
    await writeDurably(path, 'old');
    mkdirSync(`${path}.bak`);
    await expect(writeDurably(path, 'new', {keepPrevious: `${path}.bak`})).rejects.toThrow();
    expect([readdirSync(root).sort(), readFileSync(path, 'utf8')]).toEqual([['file', 'file.bak'], 'old']);
  });
});

describe('history', () => {
  test('is newest first, also within one millisecond and when the clock is set back by a restart', async () => {
    const own = backend();
    await own.save(DEV, '{}');
    for (const kind of ['update', 'refresh', 'destroy'] as const) await own.record(DEV, {...UPDATE, kind});
    nowMs -= 60_000;
    await own.record(DEV, {...UPDATE, kind: 'rename'});
    const kinds = (await backend().history(DEV)).map(({kind}) => kind);
    expect(kinds).toEqual(['rename', 'destroy', 'refresh', 'update']);
    expect([filesIn('history/proj/dev').length, filesIn('backups/proj/dev').length]).toEqual([8, 4]);
  });

  test('has all files of an operation or none of them', async () => {
    await backend().save(DEV, '{}');
    put('history/proj', 'in the way');
    await expect(backend().record(DEV, UPDATE)).rejects.toThrow('there is a file where its folder should be');
    expect(filesIn('backups/proj/dev')).toEqual([]);
  });

  test.each([
    ['half of a record', '{"kind":"upd', 'is not valid JSON'],
    ['another document', '[]', 'contains no operation record'],
    ['times that are none', '{"startTime":1,"endTime":"x"}', 'contains no operation record'],
  ])('that holds %s is refused with the file', async (_, text, message) => {
    put('history/proj/dev/dev-5.history.json', text);
    await expect(backend().history(DEV)).rejects.toThrow(new RegExp(`dev-5\\.history\\.json ${message}.*delete it`));
  });

  test('goes with the stack, whose last checkpoint stays; it moves with a new name', async () => {
    const own = backend();
    await own.save(DEV, '{}');
    await own.record(DEV, UPDATE);
    put('history/proj/dev/other-1.history.json', '{}');
    await own.moveHistory(DEV, {project: 'proj', name: 'new'});
    expect(await own.history({project: 'proj', name: 'new'})).toMatchObject([{kind: 'update'}]);
    expect(filesIn('history/proj/dev')).toEqual(['other-1.history.json']);
    await own.remove(DEV, {backups: false});
    expect([filesIn('stacks/proj'), filesIn('history/proj/dev'), filesIn('backups/proj/dev').length]).toEqual([
      ['dev.json.bak'],
      [],
      1,
    ]);
    await own.save(DEV, '{}');
    await own.remove(DEV, {backups: true});
    expect([filesIn('stacks/proj'), filesIn('backups/proj')]).toEqual([[], []]);
  });
});
