// SPDX-License-Identifier: Apache-2.0
/** The Python SDKs for tools/build-sdk.ts: two wheels, installed into the virtual environment that the set-up made. No network. */
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {buildWheel} from './build-sdk-wheel.ts';

const root = join(import.meta.dirname, '..');
const packs = join(root, 'build/sdk/packs');
export const VENV = join(root, 'build/sdk/venv');
export const PYTHON_SDKS = ['platform', 'cloudnative'].map(name => join(root, 'sdk/python', name));
/** Written by tools/setup-python.ts when everything is in. */
export const VENV_STAMP = join(VENV, 'palisade-requirements');

function filesBelow(folder: string): string[] {
  return readdirSync(folder, {withFileTypes: true})
    .filter(entry => entry.name !== '__pycache__')
    .flatMap(entry => (entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)]));
}

/** The wheel of one SDK; what it says about itself comes from its pyproject.toml. */
function makeWheel(folder: string): string {
  const project = readFileSync(join(folder, 'pyproject.toml'), 'utf8');
  const value = (key: string): string => {
    const text = new RegExp(`^${key} = ("(?:[^"\\\\]|\\\\.)*")$`, 'm').exec(project)?.[1];
    if (text === undefined) throw new Error(`${relative(root, folder)}/pyproject.toml has no ${key}`);
    return JSON.parse(text) as string;
  };
  const requires = JSON.parse(/^dependencies = (\[.*\])$/m.exec(project)?.[1] ?? '[]') as string[];
  const name = value('name');
  const version = value('version');
  const files = new Map(
    filesBelow(join(folder, name)).map(path => [relative(folder, path), readFileSync(path)] as const),
  );
  const description = readFileSync(join(folder, 'README.md'), 'utf8');
  const summary = value('description');
  const wheel = buildWheel(
    {name, version, summary, requiresPython: value('requires-python'), requires, description},
    files,
  );
  mkdirSync(packs, {recursive: true});
  const path = join(packs, `${name}-${version}-py3-none-any.whl`);
  writeFileSync(path, wheel);
  return path;
}

/** False: there is no virtual environment to install into. */
export function installPython(): boolean {
  const wheels = PYTHON_SDKS.map(makeWheel);
  if (!existsSync(VENV_STAMP)) {
    console.log(
      'sdk: the Python wheels are in build/sdk/packs; no build/sdk/venv (make setup creates it if python3 has venv)',
    );
    return false;
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--force-reinstall', ...wheels];
  const env = {...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_NO_INPUT: '1'};
  execFileSync(join(VENV, 'bin/python'), pip, {stdio: ['ignore', 'inherit', 'inherit'], env});
  console.log('sdk: installed palisade_platform and palisade_cloudnative into build/sdk/venv');
  return true;
}

/** True when nothing is left to do for Python. */
export function isPythonInstalled(): boolean {
  if (!existsSync(VENV_STAMP)) return existsSync(packs) && readdirSync(packs).some(name => name.endsWith('.whl'));
  const libraries = join(VENV, 'lib');
  return readdirSync(libraries).some(version =>
    existsSync(join(libraries, version, 'site-packages/palisade_platform')),
  );
}

/** For the caller that rebuilds everything. */
export const removeWheels = (): void => {
  if (!existsSync(packs)) return;
  for (const name of readdirSync(packs)) if (name.endsWith('.whl')) rmSync(join(packs, name));
};
