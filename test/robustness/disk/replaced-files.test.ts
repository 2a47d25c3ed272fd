// SPDX-License-Identifier: Apache-2.0
/**
 * Files that the server replaces (keys, certificates, revocation lists) and the state of stacks: when a change was reported, power loss
 * does not undo it, and the folders that were made for it are there.
 */
import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {seededRandom} from '../suite/random.ts';
import {DiskLab} from './disk-lab.ts';
import {whyNoDisk} from './faulty-disk.ts';

const STATES = 150;
/** It is made with its parents. */
const FOLDER = 'made/by/data';
const PROGRAM = fileURLToPath(new URL('./replacing-child.ts', import.meta.url));

const textIn = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : 'absent');

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
    const found = {first: 0, second: 0, state: 0};
    for (let i = 0; i < STATES; i++) {
      const at = i % 5 === 0 ? disk.operations : Math.ceil(random() * disk.operations);
      const {said} = disk.imagine(into, random, at);
      const last = said.split('\n').at(-2);
      const list = textIn(join(into, FOLDER, 'pki/list'));
      if (last === 'first') expect(list).toMatch(/^(first|second)$/);
      if (last === 'second' || last === 'state') expect(list).toBe('second');
      if (last === 'state') expect(textIn(join(into, FOLDER, 'stacks/shop/dev.json'))).toBe('state');
      if (last === 'first' || last === 'second' || last === 'state') found[last]++;
    }
    for (const times of Object.values(found)) expect(times).toBeGreaterThan(0);
  },
);
