// SPDX-License-Identifier: Apache-2.0

/** Wrong words on the command line: exit code 2, with the way out in the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A failure that the user can act on: printed as `palisade: <message>` without a stack, exit code 1. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
