// SPDX-License-Identifier: Apache-2.0
/** Bodies that say the same fault again and again, along a path that is as long as they are: told once, and read in time. */
import {describe, expect, test} from 'vitest';
import {kubeTypes} from '../gen/kube-types.ts';
import {decodeJson, decodeObject} from './decode.ts';
import {operationFaults} from './operation-faults.ts';
import {STRICT_FAULTS_MAX, StrictFaults} from './strict-faults.ts';

test('each is kept once, the first hundred of them, and no text is made in vain', () => {
  const faults = new StrictFaults();
  let made = 0;
  const tell = (text: string): void =>
    faults.tell(() => {
      made++;
      return text;
    });
  for (const text of ['b', 'a', 'b']) tell(text);
  expect(faults.texts).toEqual(['b', 'a']);
  for (let i = 0; i < STRICT_FAULTS_MAX; i++) tell(String(i));
  expect(faults.texts).toHaveLength(STRICT_FAULTS_MAX);
  expect(made).toBe(STRICT_FAULTS_MAX + 1);
});

test('who says the same all the time is not listened to for ever', () => {
  const faults = new StrictFaults();
  for (let i = 0; i < 100_000; i++) faults.tell(() => 'a');
  faults.tell(() => 'b');
  expect(faults.texts).toEqual(['a']);
});

const LONG = 'k'.repeat(1_000_000);
const many = (member: (i: number) => string): string => Array.from({length: 100_000}, (_, i) => member(i)).join(',');

describe.each([
  ['the same key twice, again and again', `{"a":1,${many(() => '"a":1')}}`, 1],
  ['another key twice, again and again', `{${many(i => `"${i >> 1}":1`)}}`, STRICT_FAULTS_MAX],
])('behind a key of a megabyte %s', (_, object, count) => {
  test('in a document without a schema', () => {
    expect(decodeJson(`{"${LONG}":${object}}`).duplicates).toHaveLength(count);
  });

  test('in the operations of a JSON patch', () => {
    expect(operationFaults(`[{"op":"add","path":"/a","value":{"${LONG}":${object}}}]`)).toHaveLength(count);
  });

  test('in an object', () => {
    const text = `{"metadata":{"labels":{"${LONG}":"x"},"managedFields":[{"${LONG}":1,"fieldsV1":{}}],"annotations":${object.replaceAll(':1', ':""')}}}`;
    const {strictErrors} = decodeObject(kubeTypes, 'io.k8s.api.core.v1.Endpoints', text);
    expect(strictErrors).toHaveLength(Math.min(count + 1, STRICT_FAULTS_MAX));
  });
});
