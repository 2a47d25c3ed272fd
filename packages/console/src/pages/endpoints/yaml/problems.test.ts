// SPDX-License-Identifier: Apache-2.0
import {KubeError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {parseText, toText, withResourceVersion} from './object-text.ts';
import {lineOf, problemsOf, stepsOf} from './problems.ts';

const TEXT = `apiVersion: v1
kind: Endpoints
metadata:
  name: web
  labels:
    app.example/x: a
subsets:
  - addresses:
      - ip: 10.0.0.1
      - ip: nonsense
    ports:
      - port: 80
`;

test.each([
  ['subsets[0].addresses[1].ip', ['subsets', 0, 'addresses', 1, 'ip']],
  ['metadata.labels[app.example/x]', ['metadata', 'labels', 'app.example/x']],
])('steps of %s', (field, steps) => expect(stepsOf(field)).toEqual(steps));

test.each([
  ['subsets[0].addresses[1].ip', 10],
  ['subsets[0].ports[0].protocol', 12],
  ['metadata.labels[app.example/x]', 6],
  ['metadata.labels.app.example/x', 6],
  ['subsets[7].ports', 7],
  ['nowhere', undefined],
])('49-3 %s is at line %s, or at its nearest parent', (field, line) => expect(lineOf(TEXT, field)).toBe(line));

const refused = (message: string, causes: {field?: string; message?: string}[] = []): KubeError =>
  new KubeError({code: 422, reason: 'Invalid', message, causes});

test('49-3 all causes of a refusal are problems at their lines', () => {
  const causes = [
    {field: 'subsets[0].addresses[1].ip', message: 'must be a valid IP address'},
    {field: 'metadata.name', message: 'must not be empty'},
  ];
  expect(problemsOf(refused('invalid', causes), TEXT)).toEqual([
    {field: 'subsets[0].addresses[1].ip', line: 10, text: 'must be a valid IP address'},
    {field: 'metadata.name', line: 4, text: 'must not be empty'},
  ]);
});

test('49-3 a fault that the server gives twice, once with an example, is one problem; two reasons are two', () => {
  const field = 'subsets[0].addresses[1].ip';
  const of = (...messages: string[]) =>
    problemsOf(
      refused(
        'invalid',
        messages.map(message => ({field, message})),
      ),
      TEXT,
    ).map(({text}) => text);
  const short = 'Invalid value: "nonsense": must be a valid IP address';
  const long = `${short}, (e.g. 10.9.8.7 or 2001:db8::ffff)`;
  expect([of(long, short), of(short, long), of(short, short)]).toEqual([[long], [long], [short]]);
  const two = ['must be at most 1', 'must be at most 10'];
  expect(of(...two)).toEqual(two);
  const elsewhere = [
    {field, message: long},
    {field: 'subsets[0].addresses[0].ip', message: short},
  ];
  expect(problemsOf(refused('invalid', elsewhere), TEXT)).toHaveLength(2);
});

test('49-3 unknown and duplicate fields of strict validation too; anything else is one problem in the words of the server', () => {
  const strict = 'strict decoding error: unknown field "metadata.labls", unknown field "subsets[0].ports[0].prt"';
  expect(problemsOf(refused(strict), TEXT)).toEqual([
    {field: 'metadata.labls', line: 3, text: 'unknown field "metadata.labls"'},
    {field: 'subsets[0].ports[0].prt', line: 12, text: 'unknown field "subsets[0].ports[0].prt"'},
  ]);
  expect(problemsOf(refused('the quota is used up'), TEXT)).toEqual([{text: 'The quota is used up'}]);
});

test('49-3 faults of YAML have their lines; what is no object is refused', () => {
  expect(parseText('a: 1\nb: [1\nc: 2\n').problems?.[0]?.line).toBeGreaterThan(1);
  expect(parseText('a: 1\na: 2\n').problems).toMatchObject([{line: 2}]);
  for (const text of ['', '- a', 'text', '1']) expect(parseText(text).problems).toHaveLength(1);
  expect(parseText('metadata: text').problems).toMatchObject([{field: 'metadata'}]);
});

test('49-3 aliases that multiply are refused, not expanded', () => {
  const lines = Array.from({length: 9}, (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(',')}]`);
  expect(parseText(['a0: &a0 [x]', ...lines].join('\n')).problems?.[0]?.text).toMatch(/alias/i);
});

test('49-3 the text begins with what people look for, hides managedFields, and is read back as the same object', () => {
  const object = {
    subsets: [{addresses: [{ip: '10.0.0.1'}]}],
    metadata: {uid: 'u', labels: {on: 'yes'}, managedFields: [{manager: 'm'}], name: 'web'},
  };
  const text = toText(object, {apiVersion: 'v1', kind: 'Endpoints'});
  expect(text).toMatch(/^apiVersion: v1\nkind: Endpoints\nmetadata:\n {2}name: web\n/);
  const {managedFields: _, ...metadata} = object.metadata;
  expect(parseText(text).object).toEqual({apiVersion: 'v1', kind: 'Endpoints', ...object, metadata});
});

test('49-3 another resourceVersion changes nothing else', () => {
  const text = '# mine\nmetadata:\n  resourceVersion: "7" # old\n  name: a\n';
  expect(withResourceVersion(text, '9')).toBe('# mine\nmetadata:\n  resourceVersion: "9"\n  name: a\n');
});
