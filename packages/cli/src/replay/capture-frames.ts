// SPDX-License-Identifier: Apache-2.0
/** The frames of a capture that can be sent, and an account of those that cannot. */
import {type CaptureEntry, CaptureFileError} from './capture-packet.ts';
import {FRAME_BYTES_MAX} from './frame-sender.ts';
import {toEthernet} from './link-layer.ts';

export class CaptureFrames implements AsyncIterable<Buffer> {
  readonly #entries: AsyncIterable<CaptureEntry>;
  readonly #skipped = new Map<string, number>();
  #read = 0;
  #shortened = 0;
  #damage: string | undefined;

  constructor(entries: AsyncIterable<CaptureEntry>) {
    this.#entries = entries;
  }

  /** Packets read until now. */
  get read(): number {
    return this.#read;
  }

  /** Packets of which the capture has only the start. They are sent. */
  get shortened(): number {
    return this.#shortened;
  }

  /** Where and why the file cannot be read to its end. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Packets that are not sent, by reason. */
  get skipped(): {readonly reason: string; readonly frames: number}[] {
    return [...this.#skipped].map(([reason, frames]) => ({reason, frames}));
  }

  /** In file order; ends where the file is damaged. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for await (const entry of this.#entries) {
        this.#read++;
        const frame = frameOf(entry);
        if (typeof frame === 'string') {
          this.#skipped.set(frame, (this.#skipped.get(frame) ?? 0) + 1);
          continue;
        }
        if ('bytes' in entry && entry.bytes.length < entry.wireBytes) this.#shortened++;
        yield frame;
      }
    } catch (error) {
      if (!(error instanceof CaptureFileError)) throw error;
      this.#damage = error.message;
    }
  }
}

const frameOf = (entry: CaptureEntry): Buffer | string => {
  if ('fault' in entry) return entry.fault;
  const frame = toEthernet(entry.linkType, entry.bytes);
  const isTooLong = typeof frame !== 'string' && frame.length > FRAME_BYTES_MAX;
  return isTooLong ? `longer than ${FRAME_BYTES_MAX} bytes, the most that fits in one UDP packet of a mirror` : frame;
};
