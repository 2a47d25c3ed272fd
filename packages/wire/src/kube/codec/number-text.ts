// SPDX-License-Identifier: Apache-2.0
import type {Json} from '../schema.ts';

/**
 * A number as it was written, where the spelling counts: JSON patch and merge patch pass values on as text, so `80.0` is
 * neither equal to `80` nor an integer when the document is decoded. It stands where a JSON value stands, as a leaf.
 */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export const isNumberText = (value: unknown): value is NumberText => value instanceof NumberText;

/** A plain integer of 64 bits is a number like any other. */
export const spelledNumber = (text: string): Json | undefined => {
  if (/^(?:0|-?[1-9]\d{0,18})$/.test(text) && BigInt(text) === BigInt.asIntN(64, BigInt(text))) return undefined;
  return new NumberText(text) as unknown as Json;
};
