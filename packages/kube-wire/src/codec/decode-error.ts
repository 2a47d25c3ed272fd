// SPDX-License-Identifier: Apache-2.0
/** What every decoder of this folder throws to its callers. */
import {QuantityError} from '../go/quantity.ts';
import {TimeParseError} from '../go/time.ts';
import {JsonSyntaxError} from './json-scan.ts';

/** A document that the types cannot hold. The message is Go's, `json: cannot unmarshal …`. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** What `work` gives. Throws DecodeError, in the same words, where a text in it is no JSON, no time or no quantity. */
export function asDecodeError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError || error instanceof TimeParseError || error instanceof QuantityError))
      throw error;
    throw new DecodeError(error.message, {cause: error});
  }
}

/** Go's words for a value of the wrong type; `where` is as `value of type string`, or `struct field jsonPatchOp.op of type string`. */
export const cannotUnmarshal = (what: string, where: string): string =>
  `json: cannot unmarshal ${what} into Go ${where}`;
