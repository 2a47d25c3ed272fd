// SPDX-License-Identifier: Apache-2.0
import {destination, type Logger, pino} from 'pino';

const STDERR = 2;
/** What is kept of lines that cannot be written just now (the disk is full): they go out first when there is room. */
const UNWRITTEN_BYTES_MAX = 1024 * 1024;

/**
 * Structured log lines on stderr; stdout is for data. Never a token or a packet in a line. A line that cannot be written (a closed
 * terminal, a full disk, a pipe without a reader) is no reason to end.
 */
export const createLogger = (level: string, fd = STDERR): Logger => {
  const lines = destination({fd, sync: true, maxLength: UNWRITTEN_BYTES_MAX});
  lines.on('error', () => {}); // there is no other place to tell it
  lines.on('drop', () => lines.write('')); // one that finds no room is lost, and those that wait are tried again
  return pino({level, base: null, timestamp: pino.stdTimeFunctions.isoTime}, lines);
};
export type {Logger};
