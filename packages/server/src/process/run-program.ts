// SPDX-License-Identifier: Apache-2.0
/** Runs a program of the system, such as `ip`, to its end. No shell is involved. */
import {spawn} from 'node:child_process';

export type ProgramResult = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
};
export type RunProgram = (argv: readonly string[]) => Promise<ProgramResult>;

/** Ref: POSIX shell, exit status of a command that is not found. */
export const NOT_FOUND = 127;
/** Administrators' programs are in folders that a user's PATH may lack. */
const SYSTEM_FOLDERS = '/usr/sbin:/sbin';

/** `env`: its PATH is searched first. Never rejects for a failed program: a program that does not exist ends with NOT_FOUND. */
export const programRunner =
  (env: Readonly<Record<string, string | undefined>>): RunProgram =>
  ([program = '', ...args]) =>
    new Promise((done, fail) => {
      const PATH = [env['PATH'], SYSTEM_FOLDERS].filter(part => part !== undefined && part !== '').join(':');
      const child = spawn(program, args, {env: {...env, PATH, LC_ALL: 'C'}, stdio: ['ignore', 'pipe', 'pipe']});
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') fail(error);
        else done({code: NOT_FOUND, stdout: '', stderr: `${program} is not installed`});
      });
      child.once('close', (code, signal) =>
        done({
          code: code ?? 1,
          stdout: Buffer.concat(out).toString(),
          stderr: `${Buffer.concat(err).toString()}${signal === null ? '' : `ended by ${signal}`}`,
        }),
      );
    });
