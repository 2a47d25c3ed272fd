// SPDX-License-Identifier: Apache-2.0
/** What the three commands print, and their progress. */
import type {ArchiveSummary} from '@palisade/server/backup';
import {type CliIo, isTerminal, UsageError} from '../command-line/io.ts';
import {realClock} from '../command-line/real-clock.ts';

const MIB = 1024 * 1024;
export const sizeText = (bytes: number): string =>
  bytes < MIB ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;

/** The one word of each command. Throws UsageError. */
export const fileWord = ([file, ...more]: readonly string[], command: string): string => {
  if (file === undefined || file === '' || more.length > 0)
    throw new UsageError(`give one file: palisade ${command} FILE`);
  return file;
};

/** What is in the archive, as JSON. */
export const summaryJson = ({manifest, bytes, members, pkiFiles, recordFiles, recordBytes}: ArchiveSummary) => ({
  ...manifest,
  ...{bytes, members, pkiFiles, recordFiles, recordBytes},
});

export const summaryText = (summary: ArchiveSummary): string => {
  const {manifest, bytes, pkiFiles, recordFiles, recordBytes} = summary;
  const {createdAt, program, serverUid, revision, objects, objectBytes, records} = manifest;
  return [
    `Created:   ${createdAt} by palisade ${program}`,
    `Server:    ${serverUid === '' ? 'unknown' : serverUid}`,
    `Objects:   ${objects} at revision ${revision} (${sizeText(objectBytes)})`,
    `pki:       ${pkiFiles} files`,
    `Records:   ${records ? `${recordFiles} files (${sizeText(recordBytes)})` : 'none'}`,
    `File size: ${sizeText(bytes)}`,
    '',
  ].join('\n');
};

const TERMINAL_MS = 200;
const LOG_MS = 10_000;

/** One line on stderr that is rewritten on a terminal, and now and then a line elsewhere. */
export class Progress {
  readonly #stderr: CliIo['stderr'];
  readonly #isTerminal: boolean;
  #shownAt = realClock.now();
  #isShown = false;

  constructor({stderr}: Pick<CliIo, 'stderr'>) {
    this.#stderr = stderr;
    this.#isTerminal = isTerminal(stderr);
  }

  show(step: string, bytes: number, of?: number): void {
    const nowMs = realClock.now();
    if (nowMs - this.#shownAt < (this.#isTerminal ? TERMINAL_MS : LOG_MS)) return;
    this.#shownAt = nowMs;
    this.#isShown = true;
    const share = of === undefined || of === 0 ? '' : ` of ${sizeText(of)}`;
    const text = `palisade: ${step}: ${sizeText(bytes)}${share}`;
    this.#stderr.write(this.#isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
  }

  end(): void {
    if (this.#isShown && this.#isTerminal) this.#stderr.write('\r\u001b[K');
  }
}
