// SPDX-License-Identifier: Apache-2.0
/** Builds shim.c into build/disk, once for each content. */
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, renameSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const SOURCE = fileURLToPath(new URL('./shim.c', import.meta.url));
const OUT = fileURLToPath(new URL('../../../build/disk', import.meta.url));
const FLAGS = ['-std=gnu11', '-O2', '-Wall', '-Wextra', '-Werror', '-fPIC', '-shared', '-pthread'];

const compiler = (): string | undefined =>
  ['cc', 'gcc', 'clang'].find(name => spawnSync(name, ['--version'], {stdio: 'ignore'}).status === 0);

const isGlibc = (): boolean => {
  const {header} = process.report.getReport() as {header?: {glibcVersionRuntime?: string}};
  return header?.glibcVersionRuntime !== undefined;
};

/** Why no faulty disk can be made here (no C compiler, not Linux with glibc); undefined: it can. */
export const whyNoDisk = (): string | undefined => {
  if (process.platform !== 'linux' || !isGlibc()) return 'the faulty disk needs Linux with glibc';
  return compiler() === undefined ? 'no C compiler; install gcc or clang' : undefined;
};

/** The path of the library. Throws where it cannot be built. */
export const buildShim = (): string => {
  const why = whyNoDisk();
  if (why !== undefined) throw new Error(why);
  const hash = createHash('sha256').update(readFileSync(SOURCE)).update(FLAGS.join()).digest('hex').slice(0, 16);
  const library = join(OUT, `shim-${process.arch}-${hash}.so`);
  if (existsSync(library)) return library;
  mkdirSync(OUT, {recursive: true});
  const draft = `${library}.${process.pid}`; // several tests may build at once
  const {status, stderr} = spawnSync(compiler() ?? 'cc', [...FLAGS, '-o', draft, SOURCE, '-ldl'], {encoding: 'utf8'});
  if (status !== 0) throw new Error(`${SOURCE} does not compile: ${stderr}`);
  renameSync(draft, library);
  return library;
};
