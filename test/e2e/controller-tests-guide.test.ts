// SPDX-License-Identifier: Apache-2.0
/** The programs of docs/guides/controller-tests.md run as they are written. The one in Go is bench/peers/client-go/start.go, but for its errors. */
import {readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {run, scratch} from '../support/palisade.ts';
import {BUILD_TIMEOUT_MS, pythonProgram, skipped, whyNoPython} from './support/toolchain.ts';

const guide = readFileSync('docs/guides/controller-tests.md', 'utf8');
const program = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '';
const env = {PATH: `${resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`};

describe('45-5 the guide for controller tests', () => {
  test('45-5 its TypeScript starts a server, writes and reads', async () => {
    const file = resolve('build', `controller-tests-guide-${process.pid}.mts`); // below the root: it imports a package
    writeFileSync(file, program('ts'));
    try {
      const done = await run([file], {command: process.execPath, env});
      expect(done).toEqual({code: 0, stdout: 'blue\n', stderr: ''});
    } finally {
      rmSync(file);
    }
  });

  const absent = skipped('controller-tests guide in Python', whyNoPython());
  describe.skipIf(absent !== undefined)('in Python', () => {
    let python = '';
    beforeAll(async () => {
      const built = await pythonProgram('python-kubernetes');
      if ('path' in built) python = built.path;
    }, BUILD_TIMEOUT_MS);

    test('45-5 its Python starts a server, writes and reads', async context => {
      if (python === '') return context.skip('packages could not be fetched');
      using folder = scratch();
      const file = join(folder.dir, 'guide.py');
      writeFileSync(file, program('python'));
      expect(await run([file], {command: python, env})).toEqual({code: 0, stdout: 'blue\n', stderr: ''});
    });
  });
});
