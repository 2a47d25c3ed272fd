// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {hasMetadata, hasSelector, metadataFor} from './rules.ts';

const OF = {metadata: {name: 'a', namespace: 'default', uid: 'u', labels: {x: 'y'}}};
const WANTED = metadataFor(OF);
const OTHER = {...WANTED.ownerReferences[0], uid: 'other'} as (typeof WANTED.ownerReferences)[0];

test.each([
  ['its own', {}, true],
  ['a further owner', {ownerReferences: [OTHER, ...WANTED.ownerReferences]}, true],
  ['another owner', {ownerReferences: [OTHER]}, false],
  ['no owner', {ownerReferences: undefined}, false],
  ['another label', {labels: {...WANTED.labels, z: '1'}}, false],
  ['an annotation', {annotations: {z: '1'}}, false],
])('45-2 metadata with %s are as they should be: %s', (_, more, wanted) => {
  expect(hasMetadata({metadata: {...WANTED, ...more}} as never, WANTED, OF)).toBe(wanted);
});

test('45-2 owners are those of the garbage collector while the Endpoints are being deleted', () => {
  const deleted = {metadata: {...OF.metadata, deletionTimestamp: '2026-01-01T00:00:00Z'}};
  expect(hasMetadata({metadata: {...WANTED, ownerReferences: []}}, WANTED, deleted)).toBe(true);
});

test('45-2 an empty selector counts as no selector', () => {
  expect(
    [{}, {spec: {}}, {spec: {selector: {}}}, {spec: {selector: {x: 'y'}}}].map(each =>
      hasSelector({metadata: {}, ...each}),
    ),
  ).toEqual([false, false, false, true]);
});
