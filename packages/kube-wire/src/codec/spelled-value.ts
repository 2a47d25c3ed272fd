// SPDX-License-Identifier: Apache-2.0

/**
 * A number or text as it was written, where the spelling counts: JSON patch and merge patch pass values on as bytes, so
 * `80.0` is neither equal to `80` nor an integer when the document is decoded, and `"\u0061"` is not equal to `"a"`. It
 * stands where a JSON value stands, as a leaf; only what is not spelled as Go would write it needs one. JSON patch even
 * keeps an object with equal keys, until an operation enters it.
 */
export class SpelledValue {
  /** The literal, quotes and escapes included; an object without spaces. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const isSpelled = (value: unknown): value is SpelledValue => value instanceof SpelledValue;
