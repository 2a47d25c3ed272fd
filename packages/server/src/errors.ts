// SPDX-License-Identifier: Apache-2.0

/** Wrong words on the command line: exit code 2, with the way out in the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure that the user can act on: printed as `palisade: <message>` without a stack; its exit code is 1 unless it has another. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;
  constructor(message: string, {exitCode = 1, ...options}: ErrorOptions & {readonly exitCode?: number} = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/**
 * `absent`: no store. `locked`: a server, or another command, uses it. `damaged`: what has to be read cannot be. `format`: of a version,
 * or a program, that this one does not read. `unreadable`: permissions or paths.
 */
export type FolderErrorCode = 'absent' | 'locked' | 'damaged' | 'format' | 'unreadable' | 'disk-full' | 'disk-failed';

/** Why a data folder cannot be used: a word for programs, and a message for people. */
export class FolderError extends CommandError {
  readonly code: FolderErrorCode;
  constructor(code: FolderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
