// SPDX-License-Identifier: Apache-2.0
/**
 * `make sdk`: compiles the TypeScript SDKs, packs them and installs them as a user would, into build/sdk/node_modules,
 * beside @pulumi/pulumi, TypeScript 5.9 and @types/node; the Python SDKs become wheels in build/sdk/venv.
 * Asks no network: those three are linked from the repository's own node_modules, where npm put them, and the virtual environment
 * is made by the set-up. Does nothing when neither the SDKs nor the installed packages have changed.
 */
import {execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {delimiter, dirname, join, relative} from 'node:path';
import {installPython, isPythonInstalled, PYTHON_SDKS, removeWheels, VENV_STAMP} from './build-sdk-python.ts';

const root = join(import.meta.dirname, '..');
const target = join(root, 'build/sdk');
const stamp = join(target, 'stamp');
const SDKS = ['platform', 'cloudnative'].map(name => ({name, folder: join(root, 'sdk/typescript', name)}));
/** Installed for programs beside the SDKs. */
const LINKED = ['@pulumi/pulumi', 'typescript', '@types/node'];
const BUILD_OUTPUT = new Set(['dist', 'node_modules', '__pycache__']);

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, {withFileTypes: true})
    .filter(entry => !BUILD_OUTPUT.has(entry.name))
    .flatMap(entry => (entry.isDirectory() ? sourcesBelow(join(folder, entry.name)) : [join(folder, entry.name)]))
    .sort();
}

/** Digest of everything that decides what is installed; the place counts too, because links are absolute. */
function fingerprint(): string {
  const hash = createHash('sha256').update(root);
  for (const path of [
    import.meta.filename,
    ...SDKS.map(sdk => sdk.folder)
      .concat(PYTHON_SDKS)
      .flatMap(sourcesBelow),
  ]) {
    hash.update(relative(root, path)).update(readFileSync(path));
  }
  for (const name of [...LINKED, 'typescript7'])
    hash.update(readFileSync(join(root, 'node_modules', name, 'package.json')));
  if (existsSync(VENV_STAMP)) hash.update(readFileSync(VENV_STAMP));
  return hash.digest('hex');
}

function isInstalled(expected: string): boolean {
  const present = [...LINKED, '@palisade/platform/dist/index.js', '@palisade/cloudnative/dist/index.js'];
  return (
    existsSync(stamp) &&
    readFileSync(stamp, 'utf8') === expected &&
    present.every(path => existsSync(join(target, 'node_modules', path))) &&
    SDKS.every(sdk => existsSync(join(sdk.folder, 'dist/index.js'))) &&
    isPythonInstalled()
  );
}

/** npm runs on the Node it was installed with, not on the one of this repository. */
const systemPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter(folder => folder !== join(root, 'node_modules/.bin'))
  .join(delimiter);

function run(command: string, args: readonly string[], cwd: string): string {
  const env = {...process.env, PATH: systemPath};
  try {
    return execFileSync(command, args, {cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env});
  } catch (error) {
    const {stdout, stderr} = error as {stdout?: string; stderr?: string};
    console.error(`sdk: ${command} ${args.join(' ')} failed in ${relative(root, cwd)}\n${stdout ?? ''}${stderr ?? ''}`);
    process.exit(1);
  }
}

/** Compiles one SDK into its dist folder and installs its tarball. */
function install(name: string, folder: string, modules: string): void {
  console.log(`sdk: compiling ${relative(root, folder)}`);
  rmSync(join(folder, 'dist'), {recursive: true, force: true});
  run(process.execPath, [join(root, 'node_modules/typescript7/bin/tsc'), '-p', folder], folder);
  const packs = join(target, 'packs');
  mkdirSync(packs, {recursive: true});
  const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--offline', '--pack-destination', packs], folder);
  const tarball = join(packs, packed.trim().split('\n').at(-1) ?? '');
  const unpacked = join(target, 'unpacked', name);
  mkdirSync(unpacked, {recursive: true});
  run('tar', ['-xzf', tarball, '-C', unpacked], target);
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package/package.json'), 'utf8')) as {name: string};
  const place = join(modules, manifest.name);
  mkdirSync(dirname(place), {recursive: true});
  cpSync(join(unpacked, 'package'), place, {recursive: true});
  console.log(`sdk: installed ${manifest.name} from ${relative(root, tarball)}`);
}

const expected = fingerprint();
if (isInstalled(expected)) {
  console.log('sdk: build/sdk is up to date');
} else {
  rmSync(stamp, {force: true});
  for (const part of ['packs', 'unpacked', 'node_modules.new'])
    rmSync(join(target, part), {recursive: true, force: true});
  const modules = join(target, 'node_modules.new');
  for (const sdk of SDKS) install(sdk.name, sdk.folder, modules);
  for (const name of LINKED) {
    const link = join(modules, name);
    mkdirSync(dirname(link), {recursive: true});
    symlinkSync(join(root, 'node_modules', name), link);
  }
  rmSync(join(target, 'unpacked'), {recursive: true, force: true});
  rmSync(join(target, 'node_modules'), {recursive: true, force: true});
  renameSync(modules, join(target, 'node_modules'));
  removeWheels();
  installPython();
  writeFileSync(stamp, expected);
  console.log('sdk: build/sdk/node_modules is ready');
}
