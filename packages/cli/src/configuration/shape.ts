// SPDX-License-Identifier: Apache-2.0
/** What a value of a configuration file may be: one table makes its check (check-value.ts), its JSON schema and its type. */

type Documented = {
  /** For the JSON schema: lower case, without a full stop. */
  readonly doc?: string;
  /** Of a field: it must be there. A list that may be left out is empty then. */
  readonly required?: true;
};
export type TextShape = Documented & {
  readonly kind: 'text';
  readonly oneOf?: readonly string[];
  /** The whole of it. */
  readonly pattern?: RegExp;
  /** A number is taken as it is written. */
  readonly orNumber?: true;
  /** Relative to the folder of the file, unless it is a URL. */
  readonly isPath?: true;
  /** What is expected, with an example; behind "must be". */
  readonly form: string;
};
export type NumberShape = Documented & {
  readonly kind: 'number';
  readonly min?: number;
  readonly isWhole?: true;
  readonly form: string;
};
export type FlagShape = Documented & {readonly kind: 'flag'};
/** `size`: bytes, or text such as 64MiB; the value is in bytes. `duration`: text such as 30d; the value is in milliseconds. */
export type UnitShape = Documented & {readonly kind: 'size' | 'duration'};
export type ListShape = Documented & {
  readonly kind: 'list';
  readonly of: Shape;
  readonly isFilled?: true;
  readonly form: string;
};
export type MapShape = Documented & {readonly kind: 'map'; readonly of: Shape; readonly form: string};
export type Fields = Readonly<Record<string, Shape>>;
export type ObjectShape = Documented & {
  readonly kind: 'object';
  readonly fields: Fields;
  /** Keys that it had: what is said instead now. */
  readonly gone?: Readonly<Record<string, string>>;
  readonly form: string;
};
export type Shape = TextShape | NumberShape | FlagShape | UnitShape | ListShape | MapShape | ObjectShape;

type Sure<F extends Fields> = {
  [K in keyof F]: F[K] extends {readonly required: true} | {readonly kind: 'list'} ? K : never;
}[keyof F];

export type ValueOf<S extends Shape> = S extends TextShape
  ? string
  : S extends NumberShape | UnitShape
    ? number
    : S extends FlagShape
      ? boolean
      : S extends {readonly kind: 'list'; readonly of: infer I extends Shape}
        ? readonly ValueOf<I>[]
        : S extends {readonly kind: 'map'; readonly of: infer I extends Shape}
          ? Readonly<Record<string, ValueOf<I>>>
          : S extends {readonly kind: 'object'; readonly fields: infer F extends Fields}
            ? {readonly [K in Sure<F>]: ValueOf<F[K]>} & {
                readonly [K in Exclude<keyof F, Sure<F>>]?: ValueOf<F[K]> | undefined;
              }
            : never;

const UNITS: Readonly<Record<'size' | 'duration', {readonly factors: Readonly<Record<string, number>>}>> = {
  size: {factors: {'': 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30}},
  duration: {factors: {m: 60_000, h: 3_600_000, d: 86_400_000}},
};
export const UNIT_FORMS = {size: 'a size such as 64MiB', duration: 'a time such as 30d, 12h or 30m'} as const;
export const UNIT_PATTERNS = {
  size: '^\\d+(\\.\\d+)?(KiB|MiB|GiB)?$',
  duration: '^\\d+(\\.\\d+)?[mhd]$',
} as const;

/** Undefined: the text is no such value, or not above zero. */
export const inUnits = (kind: 'size' | 'duration', text: string): number | undefined => {
  const [, figure = '', unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = UNITS[kind].factors[unit];
  const value = figure === '' || factor === undefined ? 0 : Math.round(Number(figure) * factor);
  return value > 0 ? value : undefined;
};

/** As `inUnits` reads it, in the largest unit that gives a whole number. */
export const withUnit = (kind: 'size' | 'duration', value: number): string => {
  const units = Object.entries(UNITS[kind].factors).toReversed();
  const [unit, factor] = units.find(([, each]) => value % each === 0) ?? units.at(-1) ?? ['', 1];
  return `${value / factor}${unit}`;
};
