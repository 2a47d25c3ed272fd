// SPDX-License-Identifier: Apache-2.0
/** Structured logging as pino has it: fields first, then the message. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = {debug: () => {}, info: () => {}, warn: () => {}, error: () => {}};
