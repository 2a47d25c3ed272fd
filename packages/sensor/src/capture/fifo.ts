// SPDX-License-Identifier: Apache-2.0
/**
 * The writing end of a named pipe that Suricata reads as a capture file.
 *
 * We hold a reading end too, and never read from it while Suricata lives: so opening never blocks, a dead reader gives no broken pipe, and
 * what it left unread is still there to be counted and sent again. Closing both ends is Suricata's end of input.
 * Writes go through the event loop (non-blocking), not through the thread pool: a Suricata that hangs stalls nothing else.
 */
import {execFile} from 'node:child_process';
import {close as closeFd, constants, open as openFd, read as readFd} from 'node:fs';
import {lchown, rm} from 'node:fs/promises';
import {Socket} from 'node:net';
import {promisify} from 'node:util';
import {systemCode} from '../sensor-error.ts';
import type {RunAs} from '../suricata/process.ts';

const run = promisify(execFile);
const openFile = promisify(openFd);
const closeFile = promisify(closeFd);
const readFile = promisify(readFd);
const DRAIN_BYTES = 64 * 1024;

/** Creates the pipe again, readable by `owner`. */
export const makeFifo = async (path: string, owner: RunAs | undefined): Promise<void> => {
  await rm(path, {force: true});
  await run('mkfifo', ['-m', '600', path]);
  if (owner !== undefined) await lchown(path, owner.uid, owner.gid);
};

export class FifoWriter {
  readonly #readingFd: number;
  readonly #socket: Socket;
  #ended: Promise<void> | undefined;
  #closed = false;
  #writing: Promise<boolean> | undefined;
  /** Why the pipe broke, when it did (it should not: we hold a reading end). */
  failure: string | undefined;

  private constructor(readingFd: number, writingFd: number) {
    this.#readingFd = readingFd;
    this.#socket = new Socket({fd: writingFd, readable: false, writable: true});
    this.#socket.on('error', error => {
      this.failure = error.message;
    });
  }

  static async open(path: string): Promise<FifoWriter> {
    const readingFd = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return new FifoWriter(readingFd, await openFile(path, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch (error) {
      await closeFile(readingFd);
      throw error;
    }
  }

  /** Resolves to true when all bytes are in the pipe, false when the pipe was closed meanwhile. One at a time. */
  write(bytes: Buffer): Promise<boolean> {
    this.#writing = new Promise(resolve => {
      if (this.#ended !== undefined) return resolve(false);
      const closed = (): void => resolve(false);
      this.#socket.once('close', closed);
      this.#socket.write(bytes, error => {
        this.#socket.off('close', closed);
        resolve(error === undefined || error === null);
      });
    });
    return this.#writing;
  }

  /** After the reader is gone: takes everything out of the pipe, also what is being written. Resolves to the number of bytes. */
  async takeUnread(): Promise<number> {
    const buffer = Buffer.allocUnsafe(DRAIN_BYTES);
    let total = 0;
    let settled = this.#writing === undefined;
    void this.#writing?.then(() => {
      settled = true;
    });
    for (;;) {
      const wasSettled = settled;
      const {bytesRead} = await readFile(this.#readingFd, buffer, 0, DRAIN_BYTES, null).catch((error: unknown) => {
        if (systemCode(error) === 'EAGAIN') return {bytesRead: 0};
        throw error;
      });
      total += bytesRead;
      if (bytesRead === 0 && wasSettled) return total;
    }
  }

  /** Suricata's end of input, once it has read what is in the pipe; what it leaves can still be taken. Idempotent. */
  end(): Promise<void> {
    this.#ended ??= new Promise<void>(resolve => {
      this.#socket.once('close', () => resolve());
      this.#socket.destroy();
    });
    return this.#ended;
  }

  /** Nothing stays of the pipe. Idempotent. */
  async close(): Promise<void> {
    await this.end();
    if (this.#closed) return;
    this.#closed = true;
    await closeFile(this.#readingFd);
  }
}
