// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {arbitraryObject, SAMPLE_TYPES} from '../testing/arbitrary-object.ts';
import {decodeJson, decodeObject} from './decode.ts';
import {encodeJson, prettyJson} from './encode.ts';
import {scanJson} from './json-scan.ts';
import {shapeObject} from './shape.ts';
import {decodeTree} from './typed-decode.ts';
import {treeToJson} from './untyped.ts';

const RUNS = {numRuns: 150, seed: 20260501};

describe.each(SAMPLE_TYPES)('%s', typeName => {
  const objects = arbitraryObject(kubeTypes, typeName);

  test('decoding what was encoded changes nothing', () => {
    fc.assert(
      fc.property(objects, sent => {
        const first = encodeJson(kubeTypes, typeName, decodeObject(kubeTypes, typeName, JSON.stringify(sent)).object);
        const again = decodeObject(kubeTypes, typeName, first);
        expect(again.strictErrors).toEqual([]);
        expect(encodeJson(kubeTypes, typeName, again.object)).toBe(first);
      }),
      RUNS,
    );
  });

  test('both halves of the decoder give the same object', () => {
    fc.assert(
      fc.property(objects, sent => {
        const text = JSON.stringify(sent);
        const fast = decodeObject(kubeTypes, typeName, text);
        const slow = decodeTree(kubeTypes, typeName, scanJson(text));
        const shaped = shapeObject(kubeTypes, typeName, slow.object, {defaults: true, exact: true});
        expect(slow.strictErrors).toEqual([]);
        expect(shaped?.object).toEqual(fast.object);
      }),
      RUNS,
    );
  });
});

describe('any JSON', () => {
  test('the scanner reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), text => {
        const exact = (_: string, v: unknown) =>
          Number.isInteger(v) && !Number.isSafeInteger(v) ? 'big' : v === 0 ? 0 : v;
        const ours = JSON.stringify(treeToJson(scanJson(text)), (k, v) =>
          typeof v === 'bigint' ? 'big' : exact(k, v),
        );
        expect(JSON.parse(ours)).toEqual(JSON.parse(text, exact));
      }),
      RUNS,
    );
  });

  /** Texts with keys that come twice and with every spelling that counts somewhere. */
  const {text: spelledTexts} = fc.letrec<{text: string}>(tie => {
    const leaves = ['null', 'true', '0', '-0', '-1', '17', '1.5', '1e3', '9007199254740993', '""', '"a-0"', '"<"'];
    const leaf = fc.constantFrom(...leaves, '"\\u0041"', '"é"', '"a.b"', ' "a" ');
    const key = fc.constantFrom('"a"', '"b"', '"__proto__"', '"1"', '"\\u0061"');
    const object = fc.array(fc.tuple(key, tie('text')), {maxLength: 3});
    return {
      text: fc.oneof(
        {depthSize: 'small', withCrossShrink: true},
        leaf,
        fc.array(tie('text'), {maxLength: 3}).map(items => `[${items.join(',')}]`),
        object.map(members => `{${members.map(([name, value]) => `${name}: ${value}`).join(',')}}`),
      ),
    };
  });

  test.each([undefined, 'numbers', 'leaves'] as const)(
    'what is read at once is what is read step by step, spelling %s',
    spelling => {
      fc.assert(
        fc.property(spelledTexts, text => {
          const {value, duplicates} = decodeJson(text, {spelling});
          const inside = decodeJson(`[${text},"é"]`, {spelling}); // never at once
          expect([value, 'é']).toStrictEqual(inside.value);
          expect(inside.duplicates).toEqual(duplicates.map(path => `[0]${path.startsWith('[') ? '' : '.'}${path}`));
        }),
        {...RUNS, numRuns: 1000},
      );
    },
  );

  test('a document cut short is refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (text, at) => {
        const cut = `[${text}]`.slice(0, 1 + (at % (text.length + 1)));
        expect(() => scanJson(cut)).toThrow();
      }),
      RUNS,
    );
  });

  test('bytes are decoded or refused, never anything else', () => {
    const body = fc.oneof(
      fc.uint8Array({maxLength: 40}),
      fc.json().map(text => Buffer.from(text)),
    );
    fc.assert(
      fc.property(body, bytes => {
        try {
          decodeObject(kubeTypes, SAMPLE_TYPES[0], bytes);
        } catch (error) {
          expect((error as Error).name).toBe('DecodeError');
        }
      }),
      RUNS,
    );
  });

  test('pretty JSON is the same JSON, indented by two', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
      }),
      {...RUNS, numRuns: 60},
    );
  });
});
