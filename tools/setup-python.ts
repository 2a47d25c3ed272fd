// SPDX-License-Identifier: Apache-2.0
/**
 * Part of `make setup`: the virtual environment build/sdk/venv with the pinned packages of sdk/python/requirements.txt, for Python
 * programs. Asks the package index once; does nothing when it is up to date. Without a usable python3 it prints a message and continues.
 */
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {VENV, VENV_STAMP} from './build-sdk-python.ts';

const requirements = join(import.meta.dirname, '../sdk/python/requirements.txt');
const wanted = readFileSync(requirements, 'utf8');
const OLDEST_PYTHON = '(3, 10)';

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, {stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8'});
}

function make(): void {
  run('python3', [
    '-c',
    `import sys, ensurepip; sys.exit(0 if sys.version_info >= ${OLDEST_PYTHON} else "python3 is older than 3.10")`,
  ]);
  console.log('setup: installing the pinned Python packages into build/sdk/venv (about 15 seconds)');
  rmSync(VENV, {recursive: true, force: true});
  mkdirSync(dirname(VENV), {recursive: true});
  run('python3', ['-m', 'venv', VENV]);
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--only-binary',
    ':all:',
    '-r',
    requirements,
  ];
  run(join(VENV, 'bin/python'), pip);
  writeFileSync(VENV_STAMP, wanted);
}

if (existsSync(VENV_STAMP) && readFileSync(VENV_STAMP, 'utf8') === wanted) {
  console.log('setup: build/sdk/venv is up to date');
} else {
  try {
    make();
    console.log('setup: build/sdk/venv is ready');
  } catch (error) {
    const {stderr, message} = error as {stderr?: string; message: string};
    const reason = (stderr ?? message).trim().split('\n').at(-1) ?? message;
    console.error(`setup: continuing without Python programs: ${reason}`);
    console.error(
      'setup: Python programs need python3 3.10 or newer with venv (Debian, Ubuntu: apt-get install python3-venv)',
    );
  }
}
