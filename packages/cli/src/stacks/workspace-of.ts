// SPDX-License-Identifier: Apache-2.0
/** The workspace of a stack command, by its flags; failures of the engine that a user can act on become CommandErrors. */
import {isAbsolute, resolve} from 'node:path';
import {assertFolder, EngineError, SecretsError, Workspace} from '@palisade/engine';
import {PropertyPathError, ProviderError} from '@palisade/provider';
import {type CliIo, CommandError, UsageError} from '../command-line/io.ts';
import {engineParts} from './local-engine.ts';

type Named = {
  readonly cwd: string | undefined;
  readonly stack: string | undefined;
  /** The stack as a word. */
  readonly word: string | undefined;
  readonly configFile: string | undefined;
};

export async function inWorkspace(
  io: CliIo,
  named: Named,
  work: (workspace: Workspace) => Promise<number>,
): Promise<number> {
  const {word, stack, configFile} = named;
  if (word !== undefined && stack !== undefined)
    throw new UsageError(`--stack ${stack} and ${word} both name the stack: give only one of them, not both`);
  try {
    return await work(
      new Workspace({
        cwd: folderOf(io, named.cwd),
        env: io.env,
        stack: word ?? stack,
        configFile: configFile === undefined ? undefined : {path: configFile, said: `--config-file ${configFile}`},
        providers: engineParts(io).providers,
        note: line => io.stderr.write(`${line}\n`),
        system: engineParts(io).system,
      }),
    );
  } catch (error) {
    throw isExpected(error) ? new CommandError(error.message, {cause: error}) : error;
  }
}

/** Throws EngineError when --cwd is no folder. */
function folderOf(io: CliIo, cwd: string | undefined): string {
  if (cwd === undefined) return io.cwd;
  const path = isAbsolute(cwd) ? cwd : resolve(io.cwd, cwd);
  assertFolder(path, `--cwd ${cwd}`);
  return path;
}

const isExpected = (error: unknown): error is Error =>
  error instanceof EngineError ||
  error instanceof SecretsError ||
  error instanceof PropertyPathError ||
  error instanceof ProviderError ||
  isSystemError(error);

/** What a file or folder refused, such as EACCES: the message names it. */
const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error && 'code' in error;
