// SPDX-License-Identifier: Apache-2.0
/** What the fuzzing thread gets and says; the input under test is in memory that both threads see. */
import type {Fault} from './execute.ts';

export type Job = {
  readonly target: string;
  readonly seed: number;
  /** Mutated inputs, after all seeds. */
  readonly executions: number;
  /** Or until then (milliseconds since the epoch), whichever comes first. */
  readonly untilMs: number;
  /** Processor time of the mutated inputs; the one that passes it is the last. */
  readonly cpuMs: number;
  /** Also inputs of growing length. */
  readonly growing: boolean;
  /** Keep inputs that reach code which none reached before. */
  readonly guided: boolean;
  /** Leave the seeds out: they were run before. */
  readonly withoutSeeds: boolean;
};

export type Report =
  | {
      readonly type: 'finding';
      readonly target: string;
      readonly fault: Fault;
      readonly input: Uint8Array;
      readonly from: string;
    }
  | {readonly type: 'done'; readonly target: string; readonly executions: number; readonly kept: number};

/** Int32: a counter that grows with each input, and the length of the input; then its bytes. */
export const HEAD_BYTES = 8;
export const SHARED_BYTES = HEAD_BYTES + 1024 * 1024;

export const announce = (shared: SharedArrayBuffer, input: Uint8Array): void => {
  const head = new Int32Array(shared, 0, 2);
  const bytes = input.subarray(0, shared.byteLength - HEAD_BYTES);
  new Uint8Array(shared, HEAD_BYTES).set(bytes);
  head[1] = bytes.length;
  Atomics.add(head, 0, 1);
};

export const countOf = (shared: SharedArrayBuffer): number => Atomics.load(new Int32Array(shared, 0, 2), 0);

export const inputIn = (shared: SharedArrayBuffer): Buffer =>
  Buffer.from(new Uint8Array(shared, HEAD_BYTES, new Int32Array(shared, 0, 2)[1]).slice());
