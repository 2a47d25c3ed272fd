// SPDX-License-Identifier: Apache-2.0
/** A disk that refuses reads of a record file. SQLite calls such a file damaged; nothing in it is lost, and the store must not give it up. */
import {cpSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {DiskChild, DiskLab} from '../disk/disk-lab.ts';
import {type FaultyDisk, whyNoDisk} from '../disk/faulty-disk.ts';

const CHILD = fileURLToPath(new URL('./read-fault-child.ts', import.meta.url));
const FILE = 'low-20260101-0001.db';
const REFUSED = /^io .*low-20260101-0001\.db: the disk did not return a part of this file; check the disk/;
/** More than its reader and its writer keep in memory when they have opened it. */
const RECORDS = 400;

const refuseReads = (disk: FaultyDisk, after = 0): void =>
  disk.arm({call: 'read', errno: 'EIO', after, times: Infinity, files: FILE});

/** A store whose file of records is closed and opened again: most of it is on the disk alone. */
const opened = async (lab: DiskLab): Promise<DiskChild> => {
  const child = new DiskChild(lab.disk, CHILD);
  for (const line of [`open ${lab.at('records')}`, `commit 0 ${RECORDS}`, 'close', `open ${lab.at('records')}`])
    expect(await child.ask(line)).toBe('ok undefined');
  return child;
};

const whyNot = whyNoDisk();
describe.skipIf(whyNot !== undefined)(`a disk that refuses reads${whyNot === undefined ? '' : ` (${whyNot})`}`, () => {
  test('48-1 a commit that needs what the disk does not give is refused, and done later; no record is lost', async () => {
    await using lab = await DiskLab.make();
    await using child = await opened(lab);
    expect(await child.ask(`commit ${RECORDS} 1`)).toBe('ok undefined');
    refuseReads(lab.disk);
    for (let i = 0; i < 2; i++) expect(await child.ask(`commit ${RECORDS / 2} 10`)).toMatch(REFUSED);
    expect(await child.ask('lost')).toBe('ok {}');
    lab.disk.disarm();
    expect(await child.ask(`commit ${RECORDS + 1} 10`)).toBe('ok undefined');
    expect(await child.ask('lost')).toBe('ok {}');
    expect(await child.ask('read 5000')).toBe(`ok ${RECORDS + 11}`);
  });

  test('48-1 a read of what the disk does not give is refused, and answered later; no record is lost', async () => {
    await using lab = await DiskLab.make();
    await using child = await opened(lab);
    expect(await child.ask('read 1')).toMatch(/^ok /);
    refuseReads(lab.disk);
    expect(await child.ask('read 5000')).toMatch(REFUSED);
    expect(await child.ask('lost')).toBe('ok {}');
    lab.disk.disarm();
    expect(await child.ask('read 5000')).toBe(`ok ${RECORDS}`);
    expect(await child.ask('lost')).toBe('ok {}');
  });

  test('48-1 a start after a kill is refused while the disk does not give the file, from whichever read on', async () => {
    await using lab = await DiskLab.make();
    await using killed = await opened(lab);
    expect(await killed.ask(`commit ${RECORDS} 5`)).toBe('ok undefined');
    await killed.kill();
    await using child = new DiskChild(lab.disk, CHILD);
    const answers: string[] = [];
    for (let after = 0; after < 6; after++) {
      const folder = lab.at(`killed-${after}`);
      cpSync(lab.at('records'), folder, {recursive: true});
      refuseReads(lab.disk, after);
      answers.push(await child.ask(`open ${folder}`));
      lab.disk.disarm();
      if (answers.at(-1) !== 'ok undefined') expect(await child.ask(`open ${folder}`)).toBe('ok undefined');
      expect(await child.ask('lost')).toBe('ok {}');
      expect(await child.ask('read 5000')).toBe(`ok ${RECORDS + 5}`);
      await child.ask('close');
    }
    expect(answers.filter(answer => REFUSED.test(answer)).length).toBeGreaterThan(0);
  });
});
