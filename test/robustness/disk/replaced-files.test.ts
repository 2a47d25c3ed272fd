// SPDX-License-Identifier: Apache-2.0
/**
 * Files that the server replaces (keys, certificates, revocation lists): when the change was reported, power loss does not undo it.
 */
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';

const STATES = 100;
/** It is made with its parents. */
const FOLDER = 'made/by/data';
const PROGRAM = fileURLToPath(new URL('./replacing-child.ts', import.meta.url));

test.skipIf(whyNoDisk() !== undefined)(
  '48-1 a file that the server replaced stays replaced after power loss',
  async () => {
    await using lab = await DiskLab.make();
    const {disk} = lab;
    const env = {...process.env, ...disk.env()};
    const {status, stderr} = spawnSync(process.execPath, ['--no-warnings', PROGRAM, lab.at(FOLDER)], {env});
    expect(status, String(stderr)).toBe(0);
    const random = seededRandom(48);
    const into = join(lab.parent, 'state');
    const found = {first: 0, second: 0};
    for (let i = 0; i < STATES; i++) {
      const {said} = disk.imagine(into, random, Math.ceil(random() * disk.operations));
      const lines = said.split('\n').slice(0, -1);
      const list = join(into, FOLDER, 'pki/list');
      const text = existsSync(list) ? readFileSync(list, 'utf8') : 'absent';
      if (lines.includes('second')) expect(text).toBe('second');
      else if (lines.includes('first')) expect(text).toMatch(/^(first|second)$/);
      if (lines.includes('second')) found.second++;
      else if (lines.includes('first')) found.first++;
    }
    expect(found.first).toBeGreaterThan(0);
    expect(found.second).toBeGreaterThan(0);
  },
);
