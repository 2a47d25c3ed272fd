// SPDX-License-Identifier: Apache-2.0
/** Values of documents: what is not known is left out, as are objects and lists with nothing in them. */

export type Document = {readonly [field: string]: unknown};

export const isObject = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Document => (isObject(value) ? value : {});

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Of a number, or of the digits of one. */
export const numberOf = (value: unknown): number | undefined => {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};

/** Each text once. */
export const listOf = (values: readonly (string | undefined)[]): readonly string[] =>
  [...new Set(values.filter(value => value !== undefined && value !== ''))] as string[];

/** Undefined: nothing is left. */
const filled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (!isObject(value)) return value === null ? undefined : value;
  const fields = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const left = filled(each);
    return left === undefined ? [] : [[name, left]];
  });
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
};

export const whole = (document: Document): Document => objectOf(filled(document));
