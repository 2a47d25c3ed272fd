// SPDX-License-Identifier: Apache-2.0
/**
 * The server of this machine for commands that need one and name none: the one that runs on the user's default data folder, or
 * a new one there, started in the background and told so. Ref: design section 3.
 */
import {spawn} from 'node:child_process';
import {open, readFile} from 'node:fs/promises';
import {get} from 'node:http';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Readable} from 'node:stream';
import {fileURLToPath} from 'node:url';
import {type CliIo, CommandError} from '../cli/io.ts';
import {SERVER_FILE, type ServerFile} from '../commands/connection.ts';
import {defaultDataDir} from './config.ts';
import {openDataFolder} from './data-folder.ts';

/** How long a new server may take to get ready. */
const START_MS_MAX = 30_000;
const PROBE_MS_MAX = 2_000;
const BIN = fileURLToPath(new URL(`../bin/palisade.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url));

const answers = (url: string): Promise<boolean> =>
  new Promise(resolve => {
    const request = get(`${url}/readyz`, {timeout: PROBE_MS_MAX}, response => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });

const running = async (dir: string): Promise<string | undefined> => {
  const text = await readFile(join(dir, SERVER_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const {http} = JSON.parse(text) as ServerFile;
  return (await answers(http)) ? http : undefined;
};

const startInBackground = async (dir: string, env: CliIo['env']): Promise<ServerFile> => {
  await openDataFolder(dir);
  const logFile = join(dir, 'serve.log');
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, [BIN, 'serve', '--data', dir, '--http', '127.0.0.1:0', '--auth', 'none'], {
    detached: true,
    stdio: ['ignore', 'pipe', log.fd],
    env: {...env},
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
        resolve(JSON.parse(line) as ServerFile);
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

/** Its HTTP address. Throws CommandError. */
export const localServer = async (io: CliIo): Promise<string> => {
  const dir = defaultDataDir(io.env);
  const found = await running(dir);
  if (found !== undefined) return found;
  io.stderr.write(
    `palisade: no server is named (PALISADE_SERVER, KUBECONFIG or the provider's configuration) and none runs here: starting one, data in ${dir}\n`,
  );
  const {http, pid} = await startInBackground(dir, io.env);
  io.stderr.write(`palisade: the local server is at ${http}; it stays up, stop it with: kill ${pid}\n`);
  return http;
};
