// SPDX-License-Identifier: Apache-2.0
/** What a command may touch of its process; given by `bin`, replaced in tests. */
export type CliIo = {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
};

/** Exit codes of every command. */
export const EXIT = {ok: 0, failed: 1, usage: 2} as const;

/** Wrong words on the command line: exit code 2, with the way out in the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure that the user can act on: printed as `palisade: <message>` without a stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
