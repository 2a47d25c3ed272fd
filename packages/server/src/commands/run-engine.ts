// SPDX-License-Identifier: Apache-2.0
/** Wires the embedded engine: our providers in process, and a local server where none is named. */
import {readdir, readFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {runEngineCommand} from '@palisade/engine';
import {createCloudnativeProvider, createPlatformProvider, nodeProviderHost} from '@palisade/provider';
import {type CliIo, CommandError, EXIT} from '../cli/io.ts';
import {localServer} from '../run/local-server.ts';

/** Commands that ask the servers that providers talk to. */
const NEED_A_SERVER: ReadonlySet<string> = new Set(['up', 'update', 'preview', 'pre', 'refresh', 'destroy']);
/** Configuration of a stack or project that names a server. */
const NAMES_A_SERVER = /\b(platform:(kubeconfig|context|server)|cloudnative:endpoint)\b/;

const folderOf = (words: readonly string[], cwd: string): string => {
  const at = words.findIndex(word => word === '--cwd' || word === '-C' || word.startsWith('--cwd='));
  const word = words[at] ?? '';
  const named = at < 0 ? undefined : word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[at + 1];
  return named === undefined ? cwd : resolve(cwd, named);
};

const isConfigured = async (folder: string): Promise<boolean> => {
  const files = await readdir(folder).catch(() => []); // a missing folder is the engine's to tell
  const texts = await Promise.all(
    files.filter(f => /^Pulumi(\..+)?\.ya?ml$/.test(f)).map(f => readFile(join(folder, f), 'utf8')),
  );
  return texts.some(text => NAMES_A_SERVER.test(text));
};

/** The environment that providers see: with the local server where nobody named one. */
const environment = async (words: readonly string[], io: CliIo): Promise<CliIo['env']> => {
  const {env} = io;
  const named = (env['PALISADE_SERVER'] ?? '') !== '' || (env['KUBECONFIG'] ?? '') !== '';
  const asksForHelp = words.includes('--help') || words.includes('-h');
  if (named || asksForHelp || !NEED_A_SERVER.has(words[0] ?? '') || (await isConfigured(folderOf(words, io.cwd))))
    return env;
  return {...env, PALISADE_SERVER: await localServer(io)};
};

export const runEngine = async (words: readonly string[], io: CliIo): Promise<number> => {
  let env: CliIo['env'];
  try {
    env = await environment(words, io);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    io.stderr.write(`palisade: ${error.message}\n`);
    return EXIT.failed;
  }
  const host = nodeProviderHost(env);
  return runEngineCommand(words, {
    stdin: io.stdin,
    stdout: io.stdout,
    stderr: io.stderr,
    env,
    cwd: io.cwd,
    providers: {
      platform: () => createPlatformProvider(host),
      cloudnative: () => createCloudnativeProvider(host),
    },
  });
};
