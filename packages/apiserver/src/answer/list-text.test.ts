// SPDX-License-Identifier: Apache-2.0
import {prettyJson} from '@palisade/kube-wire';
import {jsonToYaml} from '@palisade/kube-wire/yaml';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {CachedObject} from '../cache/cached-object.ts';
import {hasItems, isWithin, stepsOf} from './list-body.ts';
import {type ListForm, listText} from './list-text.ts';

const START = '{"kind":"EndpointsList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"abc"},';
const objectOf = (name: string, annotation: string): CachedObject =>
  new CachedObject(
    {namespace: 'n', name},
    Buffer.from(JSON.stringify({metadata: {name, uid: 'u', annotations: {note: annotation}}, subsets: []})),
    7n,
    '7',
  );
const WHOLE: Record<ListForm, (json: string) => string> = {
  compact: json => `${json}\n`,
  indented: prettyJson,
  yaml: jsonToYaml,
};
const textOf = (form: ListForm, field: 'items' | 'rows', steps: readonly (readonly CachedObject[])[]): string => {
  const list = {start: `${START}"${field}":[`, field, itemOf: (o: CachedObject) => o.item.toString('utf8'), steps};
  return Buffer.concat([...listText(list, form)]).toString('utf8');
};

/** Among them what is folded, quoted or broken into lines as YAML, and looks like the place of the items. */
const note = fc.constantFrom(
  '',
  'a',
  '"\\\n',
  `${'word '.repeat(40)}end`,
  'a\nb\n\nc',
  'items: []',
  '\nitems: []\n',
  'é\x85x',
  '\t',
);

test.each(
  (['compact', 'indented', 'yaml'] as const).flatMap(form => (['items', 'rows'] as const).map(f => [form, f] as const)),
)('E-272 a list that is made in steps is the text of the whole: %s, %s', (form, field) => {
  const steps = fc.array(fc.array(note, {minLength: 1, maxLength: 3}), {minLength: 1, maxLength: 3});
  fc.assert(
    fc.property(steps, notes => {
      const made = notes.map((step, i) => step.map((text, j) => objectOf(`o-${i}-${j}`, text)));
      const items = made.flat().map(object => object.item.toString('utf8'));
      expect(textOf(form, field, made)).toBe(WHOLE[form](`${START}"${field}":[${items.join(',')}]}`));
    }),
    {numRuns: 100, seed: 20261126},
  );
});

test('what cannot be written as YAML is refused before the first piece, in whatever step it stands', () => {
  const steps = [[objectOf('a', 'fine')], [objectOf('b', 'fine'), objectOf('c', 'not\x7ffine')]];
  const list = {
    start: `${START}"items":[`,
    field: 'items',
    itemOf: (o: CachedObject) => o.item.toString('utf8'),
    steps,
  } as const;
  const pieces: Buffer[] = [];
  const read = (): void => {
    for (const piece of listText(list, 'yaml')) pieces.push(piece);
  };
  expect(read).toThrow('yaml: control characters are not allowed');
  expect(Buffer.concat(pieces)).toHaveLength(0);
});

test('a step ends with the object that fills it, and no step is empty', () => {
  const [small, large] = [objectOf('s', ''), objectOf('l', 'x'.repeat(1000))];
  const shape = (...slices: CachedObject[][]) =>
    [...stepsOf(slices, 1000)].map(step => step.map(({name}) => name).join(''));
  expect(shape()).toEqual([]);
  expect(shape([], [small], [], [small, small])).toEqual(['sss']);
  expect(shape([small, large, small], [large])).toEqual(['sl', 'sl']);
  expect(shape([large, large, small])).toEqual(['l', 'l', 's']);
});

test('a list is short up to the bytes of its items together', () => {
  const object = objectOf('s', 'x'.repeat(100));
  const slices = [[object], [], [object, object]];
  expect(isWithin(slices, 3 * object.itemBytes)).toBe(true);
  expect(isWithin(slices, 3 * object.itemBytes - 1)).toBe(false);
  expect([isWithin([], 0), hasItems([[], []]), hasItems([[], [object]])]).toEqual([true, false, true]);
});
