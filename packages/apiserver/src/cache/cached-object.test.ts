// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {CachedObject} from './cached-object.ts';

const make = (metadata: string, rest = ''): CachedObject => {
  const value = Buffer.from(`{"kind":"K","apiVersion":"v1","metadata":{${metadata}}${rest}}`);
  return new CachedObject({namespace: 'n', name: 'a'}, value, 7n, '7');
};
const UID = '"uid":"11111111-2222-3333-4444-555555555555"';

describe('the version', () => {
  test('stands behind the uid, and nothing else changes', () => {
    const object = make(`"name":"a",${UID},"labels":{"a":"b"}`, ',"spec":{"uid":"other"}');
    expect(object.item.toString()).toBe(
      `{"metadata":{"name":"a",${UID},"resourceVersion":"7","labels":{"a":"b"}},"spec":{"uid":"other"}}`,
    );
    expect(object.itemBytes).toBe(object.item.length);
    expect(object.decode()).toEqual(JSON.parse(object.item.toString()));
  });

  test('is another one after the removal, over the same bytes', () => {
    const object = make(`"name":"a",${UID}`);
    const removed = object.at(12n);
    expect(removed.value).toBe(object.value);
    expect([removed.revision, removed.item.toString()]).toEqual([
      12n,
      `{"metadata":{"name":"a",${UID},"resourceVersion":"12"}}`,
    ]);
  });

  test.each([
    {metadata: '', item: '{"metadata":{"resourceVersion":"7"}}'},
    {metadata: '"annotations":{"a":"b"}', item: '{"metadata":{"resourceVersion":"7","annotations":{"a":"b"}}}'},
  ])('of a bookmark is in front: {$metadata}', ({metadata, item}) => {
    expect(make(metadata).item.toString()).toBe(item);
  });

  test('that a client made up is quoted', () => {
    const value = Buffer.from(`{"metadata":{"name":"a",${UID}}}`);
    const object = new CachedObject({namespace: '', name: 'a'}, value, 0n, 'a"\0é😀');
    expect(JSON.parse(object.item.toString())).toMatchObject({metadata: {resourceVersion: 'a"\0é😀'}});
    expect(object.decode()).toMatchObject({metadata: {resourceVersion: 'a"\0é😀'}});
  });

  test('is absent where there is none', () => {
    const value = Buffer.from(`{"metadata":{"name":"a",${UID}}}`);
    expect(new CachedObject({namespace: '', name: 'a'}, value, 0n, '').item.toString()).toBe(value.toString());
  });
});

describe('what is read from metadata without decoding', () => {
  test.each([
    {
      what: 'labels',
      metadata: `"name":"a",${UID},"labels":{"app":"x","e":""}`,
      labels: {app: 'x', e: ''},
      isDeleting: false,
    },
    {what: 'no labels', metadata: `"name":"a",${UID}`, labels: {}, isDeleting: false},
    {
      what: 'labels that look like more',
      metadata: `${UID},"labels":{"a":"\\"}{\\\\"},"annotations":{"b":"c"}`,
      labels: {a: '"}{\\'},
      isDeleting: false,
    },
    {
      what: 'labels of something else only',
      metadata: `${UID},"annotations":{"x":"\\"labels\\":{}"}`,
      labels: {},
      isDeleting: false,
    },
    {
      what: 'a marked object',
      metadata: `${UID},"generation":3,"creationTimestamp":"t","deletionTimestamp":"t","deletionGracePeriodSeconds":0,"labels":{"a":"b"}`,
      labels: {a: 'b'},
      isDeleting: true,
    },
    {
      what: 'a text about deletion',
      metadata: `${UID},"annotations":{"x":"\\"deletionTimestamp\\":\\"t\\""}`,
      labels: {},
      isDeleting: false,
    },
  ])('$what', ({metadata, labels, isDeleting}) => {
    const object = make(metadata, ',"spec":{"labels":{"not":"these"},"deletionTimestamp":"t"}');
    expect([object.labels, object.isDeleting]).toEqual([labels, isDeleting]);
  });
});

test('45-1 damage is reported without a word of the object, which can be a Secret', () => {
  const damaged = make(`"name":"a",${UID}`, ',"data":{"password":hunter2}');
  let message = '';
  try {
    damaged.decode();
  } catch (error) {
    message = `${String(error)} ${(error as Error).stack} ${String((error as Error).cause)}`;
  }
  expect(message).toContain('the stored value of n/a at revision 7 is not JSON');
  expect(message).not.toMatch(/hunter|password/);
});
