// SPDX-License-Identifier: Apache-2.0
/**
 * Toolchains that the programs of other languages need: found on PATH or not, and what they build kept under build/e2e.
 * What is absent is said on stderr with its reason, and the tests that need it are skipped.
 */
import {execFile, execFileSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

const BUILD = resolve('build/e2e');
const PROGRAMS = resolve('test/e2e/programs');
/** A first build fetches modules and compiles hundreds of packages; later ones find them built. */
export const BUILD_TIMEOUT_MS = 900_000;
/** How often a file looks whether another one has made what it waits for. */
const LOCK_LOOK_MS = 200;
/** What a package manager prints when the network is the reason. */
const NO_NETWORK =
  /dial tcp|disabled by GOPROXY|no such host|connection refused|i\/o timeout|network is unreachable|handshake timeout|NewConnectionError|No matching distribution|ConnectTimeout|Temporary failure in name resolution/i;

/** The path of a command, or undefined. */
export const which = (command: string): string | undefined => {
  try {
    return execFileSync('sh', ['-c', 'command -v "$0"', command], {encoding: 'utf8'}).trim();
  } catch {
    return undefined;
  }
};

/** Says once, on stderr, that a suite does not run, and gives the reason back. */
export const skipped = (suite: string, reason: string | undefined): string | undefined => {
  if (reason !== undefined) process.stderr.write(`skipped: ${suite} (${reason})\n`);
  return reason;
};

type Done = {readonly ok: boolean; readonly text: string};
const command = (file: string, args: readonly string[], opts: {cwd?: string; env?: NodeJS.ProcessEnv} = {}) =>
  new Promise<Done>(done => {
    execFile(file, args, {...opts, timeout: BUILD_TIMEOUT_MS, maxBuffer: 1 << 26}, (error, stdout, stderr) =>
      done({ok: error === null, text: `${stdout}${stderr}`}),
    );
  });

/** Why Go programs cannot run here; undefined: they can. */
export const whyNoGo = (): string | undefined => {
  if (which('go') === undefined) return 'go is not on PATH';
  const version = /go(\d+)\.(\d+)/.exec(execFileSync('go', ['version'], {encoding: 'utf8'}));
  const [major, minor] = [Number(version?.[1]), Number(version?.[2])];
  return major > 1 || minor >= 26 ? undefined : `go 1.26 or later is needed, go on PATH is ${version?.[0]}`;
};

/** Why Python programs cannot run here; undefined: they can. */
export const whyNoPython = (): string | undefined => {
  if (which('python3') === undefined) return 'python3 is not on PATH';
  try {
    execFileSync('python3', ['-c', 'import venv, ensurepip'], {stdio: 'ignore'});
    return undefined;
  } catch {
    return 'python3 has no venv module (Debian: python3-venv)';
  }
};

const fingerprint = (files: readonly string[], extra: string): string => {
  const hash = createHash('sha256').update(extra);
  for (const file of files) hash.update(file).update(readFileSync(file));
  return hash.digest('hex');
};

/** Built thing: its path, or the reason why it could not be fetched. A build that fails for another reason throws. */
export type Built = {readonly path: string} | {readonly missing: string};

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Waits until no other test file makes `path`. */
const alone = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const lock = `${path}.lock`;
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), {flag: 'wx'});
      break;
    } catch {
      const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (holder > 0 && !isRunning(holder))
        rmSync(lock, {force: true}); // it was killed
      else await new Promise(resolve => setTimeout(resolve, LOCK_LOOK_MS));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, {force: true});
  }
};

/** Makes a thing under build/e2e unless it was made from the same inputs before. */
const made = async (
  stamp: string,
  mark: string,
  path: string,
  make: () => Promise<readonly Done[] | Done>,
): Promise<Built> => {
  const isMade = (): boolean => existsSync(path) && existsSync(stamp) && readFileSync(stamp, 'utf8') === mark;
  if (isMade()) return {path};
  return alone(stamp, async () => {
    if (isMade()) return {path};
    rmSync(stamp, {force: true});
    const failed = [await make()].flat().find(step => !step.ok);
    if (failed !== undefined) {
      if (!NO_NETWORK.test(failed.text)) throw new Error(failed.text);
      return {missing: `packages could not be fetched: ${failed.text.trim().split('\n').at(-1)}`};
    }
    writeFileSync(stamp, mark);
    return {path};
  });
};

/** The binary of a Go module below programs/. */
export const goProgram = (name: string): Promise<Built> => {
  const source = join(PROGRAMS, name);
  const files = readdirSync(source)
    .sort()
    .map(file => join(source, file));
  const path = join(BUILD, `${name}.bin`);
  mkdirSync(BUILD, {recursive: true});
  const mark = fingerprint(files, execFileSync('go', ['version'], {encoding: 'utf8'}));
  return made(`${path}.stamp`, mark, path, () =>
    command('go', ['build', '-mod=readonly', '-o', path, '.'], {
      cwd: source,
      env: {...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false', GOWORK: 'off'},
    }),
  );
};

/** The Python of a virtual environment with the packages of programs/NAME/requirements.txt. */
export const pythonProgram = (name: string): Promise<Built> => {
  const requirements = join(PROGRAMS, name, 'requirements.txt');
  const venv = join(BUILD, `${name}.venv`);
  const path = join(venv, 'bin/python');
  mkdirSync(BUILD, {recursive: true});
  const mark = fingerprint([requirements], execFileSync('python3', ['--version'], {encoding: 'utf8'}));
  return made(`${venv}.stamp`, mark, path, async () => {
    const bare = await command('python3', ['-m', 'venv', '--clear', venv]);
    if (!bare.ok) return bare;
    return command(path, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  });
};

export const programFile = (name: string, file: string): string => join(PROGRAMS, name, file);
