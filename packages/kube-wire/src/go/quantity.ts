// SPDX-License-Identifier: Apache-2.0
/**
 * Amounts with a suffix in their canonical form: no fraction, the largest suffix that loses nothing, the same family of
 * suffixes as they were written in. Ref: kubernetes v1.36 apimachinery pkg/api/resource/{quantity,suffix,amount}.go.
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

const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...DECIMAL.map((text, index) => [text, {family: 'decimal', exponent: (index - 3) * 3}] as const),
  ...BINARY.slice(1).map((text, index) => [text, {family: 'binary', exponent: (index + 1) * 10}] as const),
]);

/** What the parser reads: sign, digits before and after a point, and what is behind them. */
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
/** Upstream's fast path knows so many digits. */
const DIGITS_MAX = 18;
const NANO = -9;
const INT64_MAX = 2n ** 63n - 1n;
/** Whatever is smaller than any digit that was written rounds up to one nano. */
const VANISHING = -1_000;

/** `500m` of `0.5`, `1536Mi` of `1.5Gi`. Throws QuantityError. */
export const canonicalQuantity = (given: string): string => {
  const text = given.trim();
  if (text === '0') return text;
  const parts = PARTS.exec(text);
  if (parts === null || text === '') throw new QuantityError(MALFORMED);
  const [, sign, digits = '', fraction = '', ending = ''] = parts;
  const whole = digits.replace(/^0+/, '') || '0';
  const {family, exponent} = suffixOf(ending);
  const quick = isQuick(whole, fraction, family, exponent);
  if (quick && isKeptAsWritten(whole, fraction, family, exponent)) return text;
  if (!quick && digits === '' && fraction === '') throw new QuantityError(BAD_NUMBER);
  const unscaled = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n);
  return canonicalText(roundedToNano(amountOf(unscaled, fraction.length, family, exponent)), family);
};

/** Whether the text is what `canonicalQuantity` would make of it. */
export const isCanonicalQuantity = (text: string): boolean => {
  try {
    return canonicalQuantity(text) === text;
  } catch {
    return false;
  }
};

const suffixOf = (text: string): Suffix => {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  if (!/^[eE][-+]?\d+$/.test(text)) throw new QuantityError(BAD_SUFFIX);
  const exponent = Number(text.slice(1));
  if (Math.abs(exponent) > 2 ** 31 - 1) throw new QuantityError(BAD_SUFFIX);
  return {family: 'exponent', exponent};
};

/** What fits 64 bits keeps its text where that is canonical enough for upstream. */
const isQuick = (whole: string, fraction: string, family: Family, exponent: number): boolean => {
  if (family !== 'binary') {
    return whole.length + fraction.length <= DIGITS_MAX && exponent - fraction.length >= NANO;
  }
  if (fraction !== '') return false;
  if (15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 < 0) return false;
  return BigInt(whole) << BigInt(exponent) <= INT64_MAX;
};

const isKeptAsWritten = (whole: string, fraction: string, family: Family, exponent: number): boolean => {
  const digits = whole + fraction;
  if (family === 'binary') return (BigInt(digits) & 7n) !== 0n;
  return (exponent - fraction.length) % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
};

/** `unscaled` times ten to the `scale`. */
type Amount = {readonly unscaled: bigint; readonly scale: number};

const amountOf = (unscaled: bigint, decimals: number, family: Family, exponent: number): Amount =>
  family === 'binary'
    ? {unscaled: unscaled << BigInt(exponent), scale: -decimals}
    : {unscaled, scale: exponent - decimals};

/** Away from zero: who asks for some gets some. */
const roundedToNano = ({unscaled, scale}: Amount): Amount => {
  if (scale >= NANO || unscaled === 0n) return {unscaled, scale};
  const sign = unscaled < 0n ? -1n : 1n;
  if (scale < VANISHING - String(unscaled).length) return {unscaled: sign, scale: NANO};
  const divisor = 10n ** BigInt(NANO - scale);
  const absolute = unscaled * sign;
  return {unscaled: ((absolute + divisor - 1n) / divisor) * sign, scale: NANO};
};

const canonicalText = (amount: Amount, family: Family): string => {
  if (amount.unscaled === 0n) return '0';
  const binary = family === 'binary' ? binaryText(amount) : undefined;
  return binary ?? decimalText(amount, family === 'exponent' ? 'exponent' : 'decimal');
};

/** Undefined: the amount has a fraction, or is below one Ki. */
const binaryText = ({unscaled, scale}: Amount): string | undefined => {
  const divisor = 10n ** BigInt(Math.max(-scale, 0));
  if (unscaled % divisor !== 0n) return undefined;
  const sign = unscaled < 0n ? -1n : 1n;
  let absolute = (unscaled / divisor) * sign;
  if (absolute > INT64_MAX) absolute = INT64_MAX;
  if (absolute < 1024n) return undefined;
  let times = 0;
  for (; absolute % 1024n === 0n; times++) absolute /= 1024n;
  return `${absolute * sign}${BINARY[times] ?? ''}`;
};

const decimalText = ({unscaled, scale}: Amount, family: 'decimal' | 'exponent'): string => {
  let mantissa = unscaled;
  let exponent = scale;
  for (; mantissa % 10n === 0n; exponent++) mantissa /= 10n;
  for (; exponent % 3 !== 0; exponent--) mantissa *= 10n;
  const ending = family === 'decimal' ? (DECIMAL[exponent / 3 + 3] ?? '') : exponent === 0 ? '' : `e${exponent}`;
  return `${mantissa}${ending}`;
};
