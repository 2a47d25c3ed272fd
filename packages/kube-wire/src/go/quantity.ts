// SPDX-License-Identifier: Apache-2.0
/**
 * Amounts with a suffix: how they are read, rounded, and printed in their canonical form (no fraction, the largest suffix that
 * loses nothing, the same family of suffixes as they were written in).
 * Ref: kubernetes v1.36 apimachinery pkg/api/resource/{quantity,suffix,amount}.go.
 */

/** A text that is no quantity. The message is upstream's. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

const MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_SUFFIX = "unable to parse quantity's suffix";
const BAD_NUMBER = 'unable to parse numeric part of quantity';

type Family = 'decimal' | 'exponent' | 'binary';
type Suffix = {readonly family: Family; readonly exponent: number};

export type Quantity = {
  /** The amount is `unscaled` times ten to the `scale`. */
  readonly unscaled: bigint;
  readonly scale: number;
  readonly family: Family;
  /** Upstream's quick form, which 64 bits hold; it rounds and prints by other rules than the long one. */
  readonly isQuick: boolean;
  /** The text as it was written, where upstream keeps it. */
  readonly text: string | undefined;
};

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...DECIMAL.map((text, index) => [text, {family: 'decimal', exponent: (index - 3) * 3}] as const),
  ...BINARY.slice(1).map((text, index) => [text, {family: 'binary', exponent: (index + 1) * 10}] as const),
]);

/** What may be behind the digits. */
const ENDING = /^[eEinumkKMGTP]*[-+]?\d*$/;
/** The quick form has so many digits. */
const DIGITS_MAX = 18;
const NANO = -9;
const MILLI = -3;
const INT64_MAX = 2n ** 63n - 1n;
/** Whatever is smaller than any digit that was written rounds up to one nano. */
const VANISHING = -1_000;
const ZERO: Quantity = {unscaled: 0n, scale: 0, family: 'decimal', isQuick: true, text: '0'};

/** Throws QuantityError. */
export const parseQuantity = (text: string): Quantity => {
  if (text === '0') return ZERO;
  const {sign, digits, fraction, ending} = partsOf(text);
  if (text === '' || !ENDING.test(ending)) throw new QuantityError(MALFORMED);
  const whole = digits.replace(/^0+/, '') || '0';
  const suffix = suffixOf(ending);
  const unscaled = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  const quick = quickForm(text, whole, fraction, suffix, unscaled);
  if (quick !== undefined) return quick;
  if (digits === '' && fraction === '') throw new QuantityError(BAD_NUMBER);
  return longForm(unscaled, fraction.length, suffix);
};

/** Position of the first character from `from` on that is no digit. */
const digitsEnd = (text: string, from: number): number => {
  let at = from;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at++;
  return at;
};

/** In one pass, whatever the text is. */
const partsOf = (text: string): {sign: string; digits: string; fraction: string; ending: string} => {
  const start = text.startsWith('+') || text.startsWith('-') ? 1 : 0;
  const point = digitsEnd(text, start);
  const end = text[point] === '.' ? digitsEnd(text, point + 1) : point;
  return {
    sign: text.slice(0, start),
    digits: text.slice(start, point),
    fraction: text.slice(point + 1, end),
    ending: text.slice(end),
  };
};

/** What a JSON document has, between its quotes: `500m` of `0.5`, `1536Mi` of `1.5Gi`. Throws QuantityError. */
export const canonicalQuantity = (given: string): string => quantityText(parseQuantity(trimmed(given)));

export const quantityText = (quantity: Quantity): string => quantity.text ?? canonicalText(quantity);

/** Up to whole thousandths, away from zero; the text stays where there is nothing to round. Throws QuantityError. */
export const quantityInMillis = (text: string): string => {
  const quantity = parseQuantity(text);
  if (quantity.isQuick && quantity.scale >= MILLI) return quantityText(quantity);
  return canonicalText(roundedAway(quantity, MILLI));
};

/** Whether the text is what `canonicalQuantity` would make of it. */
export const isCanonicalQuantity = (text: string): boolean => {
  try {
    return canonicalQuantity(text) === text;
  } catch {
    return false;
  }
};

/** What a suffix may say fits 64 bits; its last 32 are taken. */
const suffixOf = (text: string): Suffix => {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  if (!/^[eE][-+]?\d+$/.test(text)) throw new QuantityError(BAD_SUFFIX);
  const exponent = BigInt(text.slice(1).replace('+', ''));
  if (exponent !== BigInt.asIntN(64, exponent)) throw new QuantityError(BAD_SUFFIX);
  return {family: 'exponent', exponent: Number(BigInt.asIntN(32, exponent))};
};

/** Undefined: upstream needs its long form. */
const quickForm = (
  text: string,
  whole: string,
  fraction: string,
  {family, exponent}: Suffix,
  unscaled: bigint,
): Quantity | undefined => {
  const shifted = whole + fraction;
  if (family === 'binary') {
    if (fraction !== '' || 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 < 0) return undefined;
    const amount = unscaled << BigInt(exponent);
    if (amount > INT64_MAX || amount < -INT64_MAX) return undefined;
    return {unscaled: amount, scale: 0, family, isQuick: true, text: (unscaled & 7n) !== 0n ? text : undefined};
  }
  const scale = (exponent - fraction.length) | 0;
  if (shifted.length > DIGITS_MAX || scale < NANO) return undefined;
  const isKept = scale % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
  return {unscaled, scale, family, isQuick: true, text: isKept ? text : undefined};
};

/** Of nano at the finest, and in the binary family no more than 64 bits hold. */
const longForm = (unscaled: bigint, decimals: number, {family, exponent}: Suffix): Quantity => {
  const isBinary = family === 'binary';
  const raw: Quantity = {
    unscaled: isBinary ? unscaled << BigInt(exponent) : unscaled,
    scale: (isBinary ? -decimals : exponent - decimals) | 0,
    family,
    isQuick: false,
    text: undefined,
  };
  const rounded = roundedAway(raw, NANO);
  if (!isBinary) return rounded;
  const divisor = 10n ** BigInt(Math.max(-rounded.scale, 0));
  const [sign, absolute] = rounded.unscaled < 0n ? [-1n, -rounded.unscaled] : [1n, rounded.unscaled];
  if (absolute > INT64_MAX * divisor) return {...rounded, unscaled: INT64_MAX * sign, scale: 0};
  return absolute < divisor ? {...rounded, family: 'decimal'} : rounded;
};

/** Away from zero, so that whoever asks for some gets some. */
const roundedAway = (quantity: Quantity, to: number): Quantity => {
  const {unscaled, scale} = quantity;
  const plain = {...quantity, text: undefined};
  if (scale >= to || unscaled === 0n) return plain;
  const sign = unscaled < 0n ? -1n : 1n;
  if (scale < VANISHING - String(unscaled).length) return {...plain, unscaled: sign, scale: to};
  const divisor = 10n ** BigInt(to - scale);
  const absolute = unscaled * sign;
  return {...plain, unscaled: ((absolute + divisor - 1n) / divisor) * sign, scale: to};
};

const canonicalText = (quantity: Quantity): string => {
  if (quantity.unscaled === 0n) return '0';
  const binary = quantity.family === 'binary' ? binaryText(quantity) : undefined;
  return binary ?? decimalText(quantity);
};

/** Undefined: the amount has a fraction, or is below one Ki. */
const binaryText = ({unscaled, scale}: Quantity): string | undefined => {
  const divisor = 10n ** BigInt(Math.max(-scale, 0));
  if (unscaled % divisor !== 0n) return undefined;
  const sign = unscaled < 0n ? -1n : 1n;
  let absolute = (unscaled / divisor) * sign;
  if (absolute < 1024n) return undefined;
  let times = 0;
  for (; absolute % 1024n === 0n; times++) absolute /= 1024n;
  return `${absolute * sign}${BINARY[times] ?? ''}`;
};

/** An exponent beyond the last suffix loses it, as upstream's does. */
const decimalText = ({unscaled, scale, family}: Quantity): string => {
  const digits = String(unscaled);
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  let mantissa = digits.slice(0, end);
  let exponent = (scale + digits.length - end) | 0;
  for (; exponent % 3 !== 0; mantissa += '0') exponent = (exponent - 1) | 0;
  if (family !== 'exponent') return `${mantissa}${DECIMAL[exponent / 3 + 3] ?? ''}`;
  return `${mantissa}${exponent === 0 ? '' : `e${exponent}`}`;
};

/** White space as Go sees it. */
const isSpace = (character: string | undefined): boolean =>
  character !== undefined && (character === '\u0085' || (character !== '\ufeff' && character.trim() === ''));

const trimmed = (text: string): string => {
  let [from, to] = [0, text.length];
  while (isSpace(text[from])) from++;
  while (to > from && isSpace(text[to - 1])) to--;
  return from === 0 && to === text.length ? text : text.slice(from, to);
};
