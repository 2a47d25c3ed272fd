// SPDX-License-Identifier: Apache-2.0
import {type Endpoints, KubeError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {choiceOf, draftOf, keptOver, mergedOver, objectFor, refusalOf, reviewText, textOf} from './draft.ts';

const at = (resourceVersion: string, labels: Record<string, string>): Endpoints => ({
  metadata: {name: 'web', namespace: 'shop', labels, resourceVersion, managedFields: [{manager: 'm'}]},
});
const BASE = at('1', {tier: 'front'});
const CURRENT = at('2', {tier: 'front', release: 'r2'});
const MINE = `${textOf(BASE).replace('tier: front', 'tier: edge')}# mine\n`;

test('49-3 a text that is the object again is no draft', () => {
  expect(draftOf(textOf(BASE), BASE)).toBeUndefined();
  expect(draftOf(MINE, BASE)).toEqual({text: MINE, base: BASE});
});

test('49-3 a review shows what users write and the defaults of the server, no bookkeeping', () => {
  const {metadata} = at('7', {tier: 'front'});
  const uid = 'b6f1d5c0-0000-4000-8000-000000000000';
  const stored: Endpoints = {
    metadata: {...metadata, uid, generation: 1, creationTimestamp: '2026-11-28T10:00:00Z', finalizers: ['shop/drain']},
    subsets: [{addresses: [{ip: '192.0.2.10'}], ports: [{port: 80, protocol: 'TCP'}]}],
  };
  expect(reviewText(stored)).toBe(`apiVersion: v1
kind: Endpoints
metadata:
  name: web
  namespace: shop
  labels:
    tier: front
  finalizers:
    - shop/drain
subsets:
  - addresses:
      - ip: 192.0.2.10
    ports:
      - port: 80
        protocol: TCP
`);
});

test('49-3 my text is kept for the object as it is now', () => {
  const kept = keptOver({text: MINE, base: BASE}, CURRENT);
  expect(kept.base).toBe(CURRENT);
  expect(kept.text).toBe(MINE.replace('resourceVersion: "1"', 'resourceVersion: "2"'));
});

test('49-3 both changes are merged into one text of the current version', () => {
  const merged = mergedOver({text: MINE, base: BASE}, CURRENT);
  expect(merged?.both).toEqual([]);
  expect(merged?.draft.text).toMatch(/tier: edge[\s\S]*release: r2[\s\S]*resourceVersion: "2"/);
  expect(merged?.draft.text).not.toContain('managedFields');
  const both = mergedOver({text: MINE, base: BASE}, at('2', {tier: 'back'}));
  expect(both?.both.map(choiceOf)).toEqual([
    {field: 'metadata.labels.tier', text: 'yours, kept in the text: "edge"; on the server: "back"', isChoice: true},
  ]);
  expect(mergedOver({text: 'a: [', base: BASE}, CURRENT)).toBeUndefined();
});

test('49-3 a text about another object is not sent', () => {
  const target = {namespace: 'shop', name: 'web'};
  expect(objectFor(MINE, target)).toHaveProperty('object.metadata.labels.tier', 'edge');
  const other = MINE.replace('name: web', 'name: api').replace('namespace: shop', 'namespace: x');
  expect(objectFor(other, target)).toMatchObject({problems: [{field: 'metadata.name'}, {field: 'metadata.namespace'}]});
});

test('49-3 conflicts of version and of managers are distinct, in the words of the server', () => {
  const conflict = (causes: {reason?: string; field?: string; message?: string}[]): KubeError =>
    new KubeError({code: 409, reason: 'Conflict', message: 'as worded', causes});
  expect(refusalOf(conflict([]), MINE)).toEqual({kind: 'version', problems: [], text: 'as worded'});
  const cause = {reason: 'FieldManagerConflict', field: '.metadata.labels.tier', message: 'conflict with "curl"'};
  expect(refusalOf(conflict([cause]), MINE)).toEqual({
    kind: 'managers',
    problems: [{field: 'metadata.labels.tier', text: 'conflict with "curl"'}],
    text: 'as worded',
  });
});
