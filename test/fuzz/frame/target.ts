// SPDX-License-Identifier: Apache-2.0
/** One decoder that is fuzzed, as data. */

/** How inputs are mutated: by bytes only, or by their structure too. */
export type Form = 'bytes' | 'text' | 'json' | 'yaml' | 'protobuf';

/** The class of an expected failure. `Error` means exactly Error: a TypeError is a bug. */
export type Refusal = abstract new (...args: never[]) => Error;

export type Target<T = unknown> = {
  readonly name: string;
  readonly form: Form;
  /**
   * The decoder under test. Throws only `refusals`. What it returns is compared, so it holds data and no functions. Throws a
   * ClaimFault when the decoder contradicts itself or another implementation.
   */
  readonly decode: (input: Buffer) => T | Promise<T>;
  readonly refusals?: readonly Refusal[];
  /** The inverse: `decode(encode(x))` must be accepted and equal `x`. Undefined: this value cannot be written. */
  readonly encode?: (value: T) => Uint8Array | string | undefined;
  /** Short seeds; larger ones are files in test/fuzz/corpus/NAME. */
  readonly seeds?: readonly (string | Uint8Array)[];
  /** Folders of the corpus that this target uses too. */
  readonly also?: readonly string[];
  /** Words of the language that mutations insert. */
  readonly words?: readonly string[];
  /** Texts of the language, made from a seed number. */
  readonly grammar?: (seed: number, count: number) => readonly string[];
  /** Bytes in front of a protobuf message. */
  readonly prefixBytes?: number;
  /** Longest input; larger ones are refused before the decoder in the product. */
  readonly bytesMax?: number;
};

/** A decoder broke a rule of its own. */
export class ClaimFault extends Error {
  override readonly name = 'ClaimFault';
}

export function claim(holds: boolean, what: string): void {
  if (!holds) throw new ClaimFault(what);
}

/** Keeps the type of what a target decodes inside of the target. */
export const target = <T>(each: Target<T>): Target => each as unknown as Target;
