// SPDX-License-Identifier: Apache-2.0
import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const RUNNER = fileURLToPath(new URL('./run_python_program.py', import.meta.url));

test('a Python without the SDK is told with the ways to one that has it', () => {
  const {status, stderr} = spawnSync('python3', ['-I', '-S', RUNNER], {encoding: 'utf8'}); // -S: no installed packages
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /the Python package 'pulumi' is not installed for \S+python\S*: .*virtualenv: .*VIRTUAL_ENV.*make sdk/,
  );
});
