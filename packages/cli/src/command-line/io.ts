// SPDX-License-Identifier: Apache-2.0
import type {OperationOptions, ProviderFactories, System} from '@palisade/engine';

export {CommandError, FolderError, UsageError} from '@palisade/server/errors';

/** What a command may touch of its process; given by `bin`, replaced in tests. */
export type CliIo = {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** What the engine gets; default: the providers of the product, and a local server where none is named. */
  readonly engine?: EngineParts;
};

export type EngineParts = Pick<OperationOptions, 'beforeOperation'> &
  Partial<Pick<OperationOptions, 'onInterrupt'>> & {
    /** Packages built into the engine, by name. */
    readonly providers: ProviderFactories;
    readonly system?: System;
  };

/**
 * Exit codes of every command. `notDone`: of those that judge a store or a backup, where 1 means damage: it could not be judged.
 * The Pulumi CLI knows more of them: 6 for an unknown stack, 7 for unexpected changes.
 */
export const EXIT = {ok: 0, failed: 1, usage: 2, notDone: 3} as const;

export const isTerminal = (stream: NodeJS.WritableStream | NodeJS.ReadableStream): boolean =>
  'isTTY' in stream && stream.isTTY === true;
