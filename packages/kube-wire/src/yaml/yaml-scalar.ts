// SPDX-License-Identifier: Apache-2.0
/**
 * What a plain YAML scalar means: YAML 1.1 as go-yaml v2 reads it (`yes`, `on`, `0x1f`, `1_000`, `012` is octal), the
 * library under sigs.k8s.io/yaml. Ref: go.yaml.in/yaml/v2 v2.4.3 resolve.go.
 */
export type ScalarTag = 'str' | 'bool' | 'int' | 'float' | 'null' | 'timestamp';
export type Resolved = {readonly tag: ScalarTag; readonly value: string | boolean | number | bigint | null};

const WORDS: ReadonlyMap<string, Resolved> = new Map(
  (
    [
      ['bool', true, ['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON']],
      ['bool', false, ['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF']],
      ['null', null, ['', '~', 'null', 'Null', 'NULL']],
      ['float', Number.NaN, ['.nan', '.NaN', '.NAN']],
      ['float', Number.POSITIVE_INFINITY, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']],
      ['float', Number.NEGATIVE_INFINITY, ['-.inf', '-.Inf', '-.INF']],
    ] as const
  ).flatMap(([tag, value, words]) => words.map(word => [word, {tag, value}] as const)),
);

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** strconv.ParseFloat of what begins with a point: single underscores may part digits. */
const FRACTION = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{1,2}:\d{1,2}([.,]\d+)?(Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}([.,]\d+)?)?$/;

/** Resolves a plain scalar without a tag. */
export function resolveScalar(text: string): Resolved {
  const first = text[0] ?? '~';
  if (/[-+0-9]/.test(first)) return WORDS.get(text) ?? resolveNumber(text);
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (first !== '.' || !FRACTION.test(text)) return {tag: 'str', value: text};
  const fraction = Number(text.replaceAll('_', ''));
  return Number.isFinite(fraction) ? {tag: 'float', value: fraction} : {tag: 'str', value: text};
}

function resolveNumber(text: string): Resolved {
  if (isTimestamp(text)) return {tag: 'timestamp', value: text};
  const plain = text.replaceAll('_', '');
  const integer = parseGoInteger(plain);
  if (integer !== undefined) return {tag: 'int', value: integer};
  if (FLOAT.test(plain) && Number.isFinite(Number(plain))) return {tag: 'float', value: Number(plain)};
  return {tag: 'str', value: text};
}

function isTimestamp(text: string): boolean {
  if (!TIMESTAMP.test(text)) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (text.match(/\d+/g) ?? []).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return (
    date.getUTCMonth() === month - 1 && date.getUTCDate() === day && day > 0 && hour < 24 && minute < 60 && second < 60
  );
}

const BASES: readonly {readonly pattern: RegExp; readonly prefix: string}[] = [
  {pattern: /^([+-]?)0[xX]([0-9a-fA-F]+)$/, prefix: '0x'},
  {pattern: /^([+-]?)0[bB]([01]+)$/, prefix: '0b'},
  {pattern: /^([+-]?)0[oO]?([0-7]+)$/, prefix: '0o'},
  {pattern: /^([+-]?)(0|[1-9][0-9]*)$/, prefix: ''},
];

/** strconv.ParseInt and ParseUint with base 0: up to 64 bits, negative ones signed. */
function parseGoInteger(text: string): number | bigint | undefined {
  for (const {pattern, prefix} of BASES) {
    const m = pattern.exec(text);
    if (m === null) continue;
    const magnitude = BigInt(prefix + m[2]);
    const value = m[1] === '-' ? -magnitude : magnitude;
    // An explicit plus sign is only read as a signed number.
    const max = m[1] === '+' ? 2n ** 63n - 1n : 2n ** 64n - 1n;
    if (value < -(2n ** 63n) || value > max) return undefined;
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return undefined;
}
