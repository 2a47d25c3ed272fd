// SPDX-License-Identifier: Apache-2.0
import {destination, type Logger, pino} from 'pino';

/** Structured log lines on stderr; stdout is for data. Never a token or a packet in a line. */
export const createLogger = (level: string): Logger =>
  pino({level, base: null, timestamp: pino.stdTimeFunctions.isoTime}, destination({fd: 2, sync: true}));
export type {Logger};
