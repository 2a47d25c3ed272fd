// SPDX-License-Identifier: Apache-2.0
/** Suricata's own log: one JSON object a line (stdout: notices, stderr: errors), or plain text before its logging is set up. */
import {SENSOR_LIMITS} from '../limits.ts';

export type EngineLogLine = {
  readonly level: 'notice' | 'info' | 'warning' | 'error' | 'text';
  readonly message: string;
};

const levelOf = (word: unknown): EngineLogLine['level'] => {
  const level = String(word).toLowerCase();
  return level === 'error' || level === 'warning' || level === 'notice' ? level : 'info';
};

/** Suricata ends a line after 2,048 bytes, JSON or not. Ref: Suricata 7 util-debug.h, SC_LOG_MAX_LOG_MSG_LEN. */
const CUT_LINE = /^\{"timestamp":"[^"]*","log_level":"(\w+)",.*?"message":"(.*)$/s;

/** Undefined for a blank line. Never throws. */
export const parseEngineLogLine = (line: string): EngineLogLine | undefined => {
  const text = line.trim();
  if (text === '') return undefined;
  if (!text.startsWith('{')) return {level: 'text', message: text};
  try {
    const value = JSON.parse(text) as {log_level?: unknown; engine?: {message?: unknown}};
    const message = value.engine?.message;
    if (typeof message !== 'string') return {level: 'text', message: text};
    return {level: levelOf(value.log_level), message};
  } catch {
    const [, level, message = ''] = CUT_LINE.exec(text) ?? [];
    return level === undefined ? {level: 'text', message: text} : {level: levelOf(level), message: `${message}…`};
  }
};

/** Cuts a stream of chunks into lines; `end` gives the rest. Lines longer than the limit are cut there. */
export class LineSplitter {
  #rest = '';
  readonly #onLine: (line: string) => void;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Searches the chunk only: searching the rest again takes time by the square of a line. */
  push(chunk: string): void {
    let from = 0;
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      this.#append(chunk.slice(from, at));
      this.#onLine(this.#rest);
      this.#rest = '';
      from = at + 1;
    }
    this.#append(chunk.slice(from));
  }

  end(): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    this.#rest = '';
  }

  #append(piece: string): void {
    this.#rest += piece.slice(0, SENSOR_LIMITS.eveReadBytes - this.#rest.length);
  }
}

/** The readiness mark. A line of another level may quote a rule. Ref: Suricata 7 tm-threads.c, TmThreadWaitOnThreadRunning. */
export const isEngineStarted = ({level, message}: EngineLogLine): boolean =>
  level === 'notice' && /^(?:Threads created -> .*)?Engine started\.?$/.test(message);

/** Text in quotes may be that of a rule. */
export const isDiskFull = ({message}: EngineLogLine): boolean => /^[^"]*No space left on device/i.test(message);

/** Segments that the kernel has joined are no loss where we look. Ref: Suricata 7 util-ioctl.c, source-af-packet.c. */
export const isOfOffloading = ({level, message}: EngineLogLine): boolean =>
  level === 'warning' && /NIC offloading|AF_PACKET with offloads enabled|SIOCETHTOOL/.test(message);
