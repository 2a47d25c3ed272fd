// SPDX-License-Identifier: Apache-2.0
/** The control file, which shim.c maps: armed faults, their counts, and the step of the clock. Layout: struct control of shim.c. */
import {closeSync, ftruncateSync, openSync, readSync, writeSync} from 'node:fs';
import {constants} from 'node:os';

/** Ref: faulty-disk.ts. */
export type DiskFault = {
  readonly call: 'write' | 'sync' | 'read';
  readonly errno: 'ENOSPC' | 'EIO' | 'EROFS' | 'EDQUOT' | 'short';
  readonly after: number;
  readonly times: number;
  readonly files?: string;
};

export type FaultHits = {readonly fault: DiskFault; readonly struck: number};

const SLOTS = 32;
const FILE_BYTES = 8_192;
const CLOCK_AT = 8;
const SLOTS_AT = 64;
const SLOT_BYTES = 128;
/** Offsets in a slot. */
const [ARMED, CALL, ERROR, SUFFIX_LENGTH, AFTER, TIMES, STRUCK, SUFFIX] = [0, 4, 8, 12, 16, 24, 40, 48];
const SUFFIX_BYTES_MAX = 60;
const CALLS = {write: 1, sync: 2, read: 3} as const;
const ALWAYS = 2n ** 64n - 1n;

const numberOf = (errno: DiskFault['errno']): number => (errno === 'short' ? 0 : constants.errno[errno]);
const wordsOf = (count: number): bigint => (Number.isFinite(count) ? BigInt(count) : ALWAYS);

const assertFault = ({call, errno, after, files = ''}: DiskFault): void => {
  if (call === 'sync' && errno === 'short') throw new Error('a sync has no length: short is a fault of write and read');
  if (!Number.isSafeInteger(after) || after < 0) throw new Error(`after: ${after} is not a count`);
  if (Buffer.byteLength(files) > SUFFIX_BYTES_MAX)
    throw new Error(`files: ${files} is longer than ${SUFFIX_BYTES_MAX} bytes`);
};

export class Control {
  readonly #file: number;
  /** Those that were disarmed. */
  readonly #past: FaultHits[] = [];
  #armed: DiskFault[] = [];

  constructor(path: string) {
    this.#file = openSync(path, 'wx+', 0o600);
    ftruncateSync(this.#file, FILE_BYTES);
  }

  arm(faults: readonly DiskFault[]): void {
    for (const fault of faults) {
      assertFault(fault);
      const index = this.#armed.length;
      if (index === SLOTS) throw new Error(`at most ${SLOTS} faults can be armed at a time`);
      const slot = Buffer.alloc(SLOT_BYTES);
      const suffix = Buffer.from(fault.files ?? '');
      slot.writeUInt32LE(CALLS[fault.call], CALL);
      slot.writeInt32LE(numberOf(fault.errno), ERROR);
      slot.writeUInt32LE(suffix.length, SUFFIX_LENGTH);
      slot.writeBigUInt64LE(BigInt(fault.after), AFTER);
      slot.writeBigUInt64LE(wordsOf(fault.times), TIMES);
      suffix.copy(slot, SUFFIX);
      writeSync(this.#file, slot, 0, SLOT_BYTES, slotAt(index));
      this.#setArmed(index, 1); // last: the slot is whole then
      this.#armed.push(fault);
    }
  }

  disarm(): void {
    for (const index of this.#armed.keys()) this.#setArmed(index, 0);
    this.#past.push(...this.#armedHits());
    this.#armed = [];
  }

  hits(): readonly FaultHits[] {
    return [...this.#past, ...this.#armedHits()];
  }

  stepClock(ms: number): void {
    const step = Buffer.alloc(8);
    readSync(this.#file, step, 0, 8, CLOCK_AT);
    step.writeBigInt64LE(step.readBigInt64LE() + BigInt(Math.round(ms * 1e6)));
    writeSync(this.#file, step, 0, 8, CLOCK_AT);
  }

  close(): void {
    closeSync(this.#file);
  }

  #setArmed(index: number, armed: 0 | 1): void {
    const word = Buffer.alloc(4);
    word.writeUInt32LE(armed);
    writeSync(this.#file, word, 0, 4, slotAt(index) + ARMED);
  }

  #armedHits(): FaultHits[] {
    return this.#armed.map((fault, index) => {
      const struck = Buffer.alloc(8);
      readSync(this.#file, struck, 0, 8, slotAt(index) + STRUCK);
      return {fault, struck: Number(struck.readBigUInt64LE())};
    });
  }
}

const slotAt = (index: number): number => SLOTS_AT + index * SLOT_BYTES;
