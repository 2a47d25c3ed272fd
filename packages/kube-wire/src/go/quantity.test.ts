// SPDX-License-Identifier: Apache-2.0
/** Quantities against a table that upstream's own code made. Ref: schemas/quantities/v0.36.3/SOURCE.md. */
import {readFileSync} from 'node:fs';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeObject} from '../codec/decode.ts';
import {convertUnstructured} from '../codec/unstructured.ts';
import {kubeTypes} from '../gen/kube-types.ts';
import {decodeProtobuf, encodeProtobuf, openEnvelope} from '../proto/envelope.ts';
import {canonicalQuantity, isCanonicalQuantity, parseQuantity, quantityInMillis, quantityText} from './quantity.ts';

type Row = readonly [text: string, canonical: string, inMillis: string, sign?: string];
const rows = readFileSync(new URL('../../../../schemas/quantities/v0.36.3/quantities.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map(line => JSON.parse(line) as Row);

const made = (work: () => string): readonly string[] => {
  try {
    return [work()];
  } catch (error) {
    return ['error', (error as Error).message];
  }
};
const wanted = (canonical: string, detail: string): readonly string[] =>
  canonical === 'error' ? ['error', detail] : [canonical];

describe('as upstream reads and prints them', () => {
  test('45-1 the table has every kind of suffix, sign, rounding and error, thousands of rows', () => {
    expect(rows.length).toBeGreaterThan(3_000);
    const errors = new Set(rows.flatMap(([, canonical, detail]) => (canonical === 'error' ? [detail] : [])));
    expect(errors.size).toBe(3);
  });

  test('45-1 every text becomes the canonical one, or fails in the same words', () => {
    const faults = rows.flatMap(([text, canonical, detail]) => {
      const got = made(() => quantityText(parseQuantity(text)));
      const want = wanted(canonical, detail);
      return got.join() === want.join() ? [] : [{text, got, want}];
    });
    expect(faults).toEqual([]);
  });

  test('45-1 rounded up to thousandths it is what upstream stores', () => {
    const faults = rows.flatMap(([text, canonical, inMillis]) => {
      if (canonical === 'error') return [];
      const got = made(() => quantityInMillis(text));
      return got.join() === inMillis ? [] : [{text, got, inMillis}];
    });
    expect(faults).toEqual([]);
  });

  test('45-1 the sign is that of the amount, also of one that rounds', () => {
    const sign = (text: string): string => String(Math.sign(Number(parseQuantity(text).unscaled)));
    const faults = rows.filter(([text, canonical, , want]) => canonical !== 'error' && sign(text) !== want);
    expect(faults).toEqual([]);
  });
});

const SUFFIXES = [
  '',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'Pi',
  'Ei',
  'e3',
  'E-2',
  'e+4',
];
const written = fc
  .tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat()), fc.constantFrom(...SUFFIXES))
  .map(([sign, whole, fraction, suffix]) => `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${suffix}`);

describe('laws', () => {
  test('45-1 a canonical text stays as it is', () => {
    fc.assert(
      fc.property(written, text => {
        const once = canonicalQuantity(text);
        expect(canonicalQuantity(once)).toBe(once);
        expect(isCanonicalQuantity(once)).toBe(true);
      }),
      {numRuns: 2_000},
    );
  });

  test('45-1 rounding to thousandths never makes less of a positive amount, and happens once', () => {
    const nanos = (text: string): bigint => {
      const {unscaled, scale} = parseQuantity(text);
      return unscaled * 10n ** BigInt(scale + 9);
    };
    fc.assert(
      fc.property(written, text => {
        const rounded = quantityInMillis(text);
        expect(quantityInMillis(rounded)).toBe(rounded);
        const [before, after] = [nanos(canonicalQuantity(text)), nanos(rounded)];
        if (before < 0n) expect(after <= before).toBe(true);
        else expect(after >= before).toBe(true);
      }),
      {numRuns: 2_000},
    );
  });

  test('45-1 a million digits, or an exponent beyond all bounds, take no time to speak of', () => {
    const long = '9'.repeat(100_000);
    expect(canonicalQuantity(`${long}${'0'.repeat(900_000)}`).length).toBeGreaterThan(99_000);
    expect(canonicalQuantity(`0.${'0'.repeat(900_000)}1`)).toBe('1n');
    expect(canonicalQuantity('1e-2147483647')).toBe('1e-9');
  }, 5_000);
});

const NODE = 'io.k8s.api.core.v1.Node';
const node = (cpu: unknown): object => ({status: {capacity: {cpu}}});
const cpuOf = (object: unknown): unknown => (object as {status: {capacity: {cpu: unknown}}}).status.capacity.cpu;
const MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

describe('in documents', () => {
  const fromJson = (json: string): unknown =>
    cpuOf(decodeObject(kubeTypes, NODE, `{"status":{"capacity":{"cpu":${json}}}}`).object);

  test.each([
    ['"0.5"', '500m'],
    ['0.5', '500m'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['" 5 "', '5'],
    ['null', '0'],
    ['"1."', '1.'],
    ['12345678901234567890', '12345678901234567890'],
  ])('45-1 JSON %s is %s', (json, text) => {
    expect(fromJson(json)).toBe(text);
  });

  test.each([
    ['"x"', MALFORMED],
    ['""', MALFORMED],
    ['true', MALFORMED],
    ['{}', MALFORMED],
    ['[5]', MALFORMED],
    ['"1kk"', "unable to parse quantity's suffix"],
    ['"e-10"', 'unable to parse numeric part of quantity'],
  ])('45-1 JSON %s is refused in the words of upstream', (json, text) => {
    expect(() => fromJson(json)).toThrow(text);
  });

  test('45-1 a strategic patch reads numbers and texts alike, and says what is wrong in the same words', () => {
    const cpu = (value: unknown): unknown => cpuOf(convertUnstructured(kubeTypes, NODE, node(value) as never).object);
    expect([cpu('0.5'), cpu(0.5), cpu(5)]).toEqual(['500m', '500m', '5']);
    for (const bad of ['x', true, {}]) expect(() => cpu(bad)).toThrow(MALFORMED);
  });

  test('45-1 protobuf keeps the text, and takes no white space around it', () => {
    const through = (text: string): unknown =>
      cpuOf(decodeProtobuf(kubeTypes, NODE, openEnvelope(encodeProtobuf(kubeTypes, NODE, node(text) as never))));
    expect([through('1500m'), through('0.5')]).toEqual(['1500m', '500m']);
    for (const bad of [' 5', 'x']) expect(() => through(bad)).toThrow(MALFORMED);
  });
});

test.each([`${'1'.repeat(1_000_000)}!`, `0.${'0'.repeat(1_000_000)}!`])(
  '45-1 a text of a million characters is refused in one pass',
  text => expect(() => parseQuantity(text)).toThrow(/quantit/),
);
