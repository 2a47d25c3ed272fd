// SPDX-License-Identifier: Apache-2.0
/** Integers of query strings, with the texts of Go's strconv. */
import {goQuote} from '@palisade/kube-wire';
import {badRequest, type StatusError} from '../../base/status-error.ts';

const INT64_MAX = 9223372036854775807n;
const UINT64_MAX = 18446744073709551615n;

const goError = (parse: string, text: string, what: string): string =>
  `strconv.${parse}: parsing ${goQuote(text)}: ${what}`;

/** Absent is undefined. Throws StatusError 400, also for an empty text. */
export const parseInt64 = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(goError('ParseInt', text, 'invalid syntax'));
  const value = BigInt(text.replace('+', ''));
  if (value > INT64_MAX || value < -INT64_MAX - 1n) throw badRequest(goError('ParseInt', text, 'value out of range'));
  return Number(value);
};

/** The text of a fault in an unsigned integer, or undefined. */
export const uint64Fault = (text: string): string | undefined => {
  if (!/^\d+$/.test(text)) return goError('ParseUint', text, 'invalid syntax');
  return BigInt(text) > UINT64_MAX ? goError('ParseUint', text, 'value out of range') : undefined;
};

/** A resourceVersion; '' is undefined. `refuse` makes the error of the caller's verb. */
export const parseResourceVersion = (text: string, refuse: (fault: string) => StatusError): bigint | undefined => {
  if (text === '') return undefined;
  const fault = uint64Fault(text);
  if (fault !== undefined) throw refuse(fault);
  return BigInt(text);
};
