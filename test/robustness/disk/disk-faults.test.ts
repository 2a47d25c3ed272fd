// SPDX-License-Identifier: Apache-2.0
/** The faults of the faulty disk strike in a running process, in plain calls and in SQLite, and are counted. */
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {DiskChild, DiskLab} from './disk-lab.ts';
import {type DiskFault, whyNoDisk} from './faulty-disk.ts';

const whyNot = whyNoDisk();
const ALWAYS = {after: 0, times: Infinity};
/** SQLite's extended result codes. */
const [FULL, IOERR_CORRUPTFS, IOERR_WRITE, IOERR_FSYNC] = [13, 8458, 778, 1034];
const HOUR_MS = 3_600_000;

describe.skipIf(whyNot !== undefined)(`faults${whyNot === undefined ? '' : ` (skipped: ${whyNot})`}`, () => {
  test.each<[DiskFault['call'], DiskFault['errno'], string]>([
    ['write', 'ENOSPC', 'write'],
    ['write', 'EDQUOT', 'write'],
    ['write', 'EIO', 'write'],
    ['write', 'EROFS', 'write'],
    ['sync', 'EIO', 'synced'],
    ['sync', 'ENOSPC', 'synced'],
    ['read', 'EIO', 'read'],
  ])('48-1 %s %s strikes in plain calls and is counted', async (call, errno, verb) => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    expect(await child.ask(`write ${lab.at('file')} text`)).toMatch(/^ok/);
    const fault: DiskFault = {call, errno, after: 1, times: 2, files: 'file'};
    lab.disk.arm(fault);
    const answers: string[] = [];
    for (let i = 0; i < 4; i++) answers.push((await child.ask(`${verb} ${lab.at('file')} other`)).split(' ')[0] ?? '');
    // A write opens, cuts and writes: one of these calls fails, and the next ask is a call later.
    expect(answers).toContain(errno === 'EDQUOT' ? 'Unknown' : errno); // Node has no name for EDQUOT
    expect(answers.at(-1)).toBe('ok');
    expect(lab.disk.hits()).toEqual([{fault, struck: 2}]);
    await child.kill();
  });

  test('48-1 a short write and a short read transfer half, and the program does the rest', async () => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    lab.disk.arm(
      {call: 'write', errno: 'short', after: 0, times: 3},
      {call: 'read', errno: 'short', after: 0, times: 1},
    );
    expect(await child.ask(`write ${lab.at('file')} 0123456789abcdef`)).toMatch(/^ok/);
    expect(readFileSync(lab.at('file'), 'utf8')).toBe('0123456789abcdef');
    expect(await child.ask(`read ${lab.at('file')}`)).toBe('ok 0123456789abcdef');
    expect(lab.disk.hits().map(({struck}) => struck)).toEqual([3, 1]);
    await child.kill();
    expect(lab.disk.unexplained()).toEqual([]);
  });

  test('48-1 a fault concerns the files of its suffix, and ends when it is disarmed', async () => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    lab.disk.arm({call: 'write', errno: 'EIO', ...ALWAYS, files: '-wal'});
    expect(await child.ask(`write ${lab.at('file')} x`)).toMatch(/^ok/);
    expect(await child.ask(`write ${lab.at('file-wal')} x`)).toMatch(/^EIO/);
    expect(await child.ask(`write ${lab.at('file-wal')} x`)).toMatch(/^EIO/);
    lab.disk.disarm();
    expect(await child.ask(`write ${lab.at('file-wal')} x`)).toMatch(/^ok/);
    expect(lab.disk.hits().map(({struck}) => struck)).toEqual([2]);
    await child.kill();
  });

  test('48-1 a read-only disk refuses every change, and is read', async () => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    await child.ask(`write ${lab.at('file')} text`);
    lab.disk.arm({call: 'write', errno: 'EROFS', ...ALWAYS});
    for (const line of [`write ${lab.at('new')} x`, `rename ${lab.at('file')} ${lab.at('b')}`, `folder ${lab.at('c')}`])
      expect(await child.ask(line)).toMatch(/^EROFS/);
    expect(await child.ask(`read ${lab.at('file')}`)).toBe('ok text');
    await child.kill();
  });

  test.each<[DiskFault, number]>([
    [{call: 'write', errno: 'ENOSPC', ...ALWAYS, files: '-wal'}, FULL],
    [{call: 'write', errno: 'EIO', ...ALWAYS, files: '-wal'}, IOERR_WRITE],
    [{call: 'write', errno: 'EROFS', ...ALWAYS, files: '-wal'}, IOERR_WRITE],
    [{call: 'sync', errno: 'EIO', ...ALWAYS, files: '-wal'}, IOERR_FSYNC],
    [{call: 'read', errno: 'EIO', ...ALWAYS, files: '.db'}, IOERR_CORRUPTFS],
  ])('48-1 SQLite meets %o', async (fault, code) => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    const open = `open ${lab.at('t.db')} journal_mode=WAL,synchronous=FULL`;
    expect(await child.ask(open)).toMatch(/^ok/);
    if (fault.call === 'read') await child.ask('close');
    lab.disk.arm(fault);
    expect(await child.ask(fault.call === 'read' ? open : 'insert 1')).toMatch(new RegExp(`^sqlite-${code} `));
    expect(lab.disk.hits()[0]?.struck).toBeGreaterThan(0);
    lab.disk.disarm();
    if (fault.call === 'read') await child.ask(open);
    expect(await child.ask('insert 2')).toMatch(/^ok/);
    await child.kill();
    expect(lab.disk.unexplained()).toEqual([]);
  });

  test('48-1 the wall clock steps forwards and backwards', async () => {
    await using lab = await DiskLab.make();
    const child = new DiskChild(lab.disk);
    const offset = async (): Promise<number> => {
      const before = Date.now();
      return (Number((await child.ask('now')).split(' ')[1]) - before) / HOUR_MS;
    };
    expect(await offset()).toBeCloseTo(0, 2);
    lab.disk.stepClock(2 * HOUR_MS);
    expect(await offset()).toBeCloseTo(2, 2);
    lab.disk.stepClock(-5 * HOUR_MS);
    expect(await offset()).toBeCloseTo(-3, 2);
    await child.kill();
  });
});
