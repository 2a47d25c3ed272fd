// SPDX-License-Identifier: Apache-2.0
/** A failure that the user can act on: shown as it is, without a stack, exit code 1. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

/** A stored state that cannot be what an engine wrote. The message says what is wrong in it; who knows its file adds that. */
export class StateFault extends EngineError {}

/** The same of a stack's own file, which the message names, with the way out. */
export class UnreadableState extends EngineError {}

/** The state is not on disk as it is in memory. */
export class UnsavedError extends EngineError {}

/** The text of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';
