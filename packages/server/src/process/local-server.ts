// SPDX-License-Identifier: Apache-2.0
/**
 * The server of this machine for commands that need one and name none: the one that runs on the user's default data folder, or
 * a new one there, started in the background, with a message. Of several commands that want one at the same time, one starts it and
 * the others wait: a lock that the kernel drops with its process decides. So they do for a server that is not ready yet. Ref: design
 * section 3.
 */
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Readable} from 'node:stream';
import type {Timers} from '@palisade/apiserver';
import {hasCode} from '@palisade/store';
import {CommandError} from '../errors.ts';
import {defaultDataDir, LOG_FILE, openDataFolder, START_FILE, STORE_FILE} from './data-folder.ts';
import {recordedServer} from './recorded-server.ts';
import {addressOf, type LocalAddress, parseServerFile, readServerFile, type ServerFile} from './server-file.ts';
import {holdingTimers, monotonicClock} from './system.ts';

/** How long a new server may take to get ready, and one that another command starts. */
const START_MS_MAX = 30_000;
const PROBE_MS_MAX = 2_000;
/** How often a command looks for the server that another one starts. */
const LOOK_MS = 100;
const WAY_OUT = 'allow this user to write there, or set PALISADE_SERVER';

/** The command that wants a server. */
export type Asking = {
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
};

export type LocalServerParts = {
  /** Milliseconds that only grow. */
  readonly clock: {now(): number};
  /** Must keep the process alive. */
  readonly timers: Pick<Timers, 'after'>;
};
const SYSTEM: LocalServerParts = {clock: monotonicClock, timers: holdingTimers};

/** `ready`: false while it starts, stops or hangs. */
type Running = {readonly at: LocalAddress; readonly pid: number; readonly ready: boolean};

const running = async (dir: string, parts: LocalServerParts): Promise<Running | undefined> => {
  const file = await readServerFile(dir);
  if (file === undefined) return undefined;
  const found = await recordedServer(dir, file, parts.timers, PROBE_MS_MAX);
  return found === 'none' ? undefined : {at: addressOf(file), pid: file.pid, ready: found === 'ready'};
};

/** Looks for a running server. A damaged address file is reported once and counts as absent: a server that starts replaces it. */
const finder = (dir: string, io: Asking, parts: LocalServerParts): (() => Promise<Running | undefined>) => {
  let told = false;
  return async () => {
    try {
      return await running(dir, parts);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!told) io.stderr.write(`palisade: ${error.message}\n`);
      told = true;
      return undefined;
    }
  };
};

/** The right to start a server on `dir`; undefined: another command has it. */
const startLock = async (dir: string): Promise<Disposable | undefined> => {
  const {takeLock} = await import('@palisade/store/sqlite'); // only who has to start one needs it
  const file = join(dir, START_FILE);
  try {
    const lock = takeLock(file);
    return {[Symbol.dispose]: () => lock.release()};
  } catch (error) {
    if (hasCode(error, 'locked')) return undefined;
    throw new CommandError(`${file}-lock cannot be locked: ${(error as Error).message}; ${WAY_OUT}`, {cause: error});
  }
};

const openLog = async (file: string): Promise<FileHandle> => {
  try {
    return await open(file, 'a', 0o600);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}; ${WAY_OUT}`, {cause: error});
  }
};

const startInBackground = async (dir: string, env: Asking['env'], program: string): Promise<ServerFile> => {
  const logFile = join(dir, LOG_FILE);
  const log = await openLog(logFile);
  const words = [program, 'serve', '--data', dir, '--http', '127.0.0.1:0', '--auth', 'none'];
  const child = spawn(process.execPath, [...process.execArgv, ...words], {
    detached: true,
    stdio: ['ignore', 'pipe', log.fd],
    env: {...env, PALISADE_CONFIG: undefined}, // the words above are all of its configuration
  });
  const output = child.stdout as Readable; // piped above
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ServerFile>((resolve, reject) => {
      const fail = (why: string): void => reject(new CommandError(`the local server ${why}; its log is ${logFile}`));
      timer = setTimeout(() => fail(`was not ready after ${START_MS_MAX / 1000} s`), START_MS_MAX);
      child.once('error', error => fail(`could not be started: ${error.message}`));
      child.once('exit', code => fail(`ended with exit code ${code}`));
      createInterface({input: output}).once('line', line => {
        const file = parseServerFile(line);
        if (file === undefined) fail(`did not print its ready line: ${line}`);
        else resolve(file);
      });
    });
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  } finally {
    clearTimeout(timer);
    child.removeAllListeners();
    output.destroy();
    child.unref();
    await log.close();
  }
};

const NOT_NAMED = "palisade: no server configured (PALISADE_SERVER, KUBECONFIG or the stack's configuration)";

export type LocalServerOptions = {
  /** Path of the program whose `serve` is started, run by the Node of this process with its flags. */
  readonly program: string;
  readonly parts?: LocalServerParts;
  /** Called with the data folder before a server without any data is started; throws where that would do harm. */
  readonly refuseNew?: (dir: string) => void;
};

/**
 * Its address, which is also printed. Throws CommandError, also when a server that is there does not get ready within
 * `START_MS_MAX`.
 */
export const localServer = async (
  io: Asking,
  {program, parts = SYSTEM, refuseNew = () => undefined}: LocalServerOptions,
): Promise<LocalAddress> => {
  const {clock, timers} = parts;
  const use = (at: LocalAddress): LocalAddress => {
    io.stderr.write(`${NOT_NAMED}: using the local server at ${at.url}\n`);
    return at;
  };
  const dir = defaultDataDir(io.env);
  const find = finder(dir, io, parts);
  const began = clock.now();
  const found = await find();
  if (found?.ready === true) return use(found.at);
  if (found === undefined && !existsSync(join(dir, STORE_FILE))) refuseNew(dir);
  await openDataFolder(dir);
  let told = false;
  for (;;) {
    using lock = await startLock(dir);
    const meanwhile = await find();
    if (meanwhile?.ready === true) return use(meanwhile.at);
    if (lock !== undefined && meanwhile === undefined) return await start(dir, io, program);
    const awaited =
      meanwhile === undefined ? 'another command is starting it' : `it is not ready at ${meanwhile.at.url}`;
    if (!told) io.stderr.write(`palisade: waiting for the local server: ${awaited}\n`);
    told = true;
    if (clock.now() - began >= START_MS_MAX) {
      const wayOut = meanwhile === undefined ? 'try again' : `try again, or stop it with: kill ${meanwhile.pid}`;
      throw new CommandError(
        `the local server on ${dir} was not ready within ${START_MS_MAX / 1000} s: ${awaited}; ${wayOut}`,
      );
    }
    await new Promise<void>(resolve => timers.after(LOOK_MS, resolve));
  }
};

const start = async (dir: string, io: Asking, program: string): Promise<LocalAddress> => {
  io.stderr.write(`${NOT_NAMED} and no local server is running: starting one, data in ${dir}\n`);
  const file = await startInBackground(dir, io.env, program);
  const at = addressOf(file);
  io.stderr.write(`palisade: the local server is at ${at.url}; it keeps running, stop it with: kill ${file.pid}\n`);
  return at;
};
