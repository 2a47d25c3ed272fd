// SPDX-License-Identifier: Apache-2.0
import {encodeProtobuf, kubeTypes} from '@palisade/wire/kube';
import {expect, test} from 'vitest';
import {CachedObject} from './cache/cached-object.ts';
import {NOTHING_YET} from './http/list-steps.ts';
import type {KindDefinition} from './kind.ts';
import {protobufList} from './protobuf.ts';

const TYPE = 'io.k8s.api.core.v1.Endpoints';
const kind = {group: '', version: 'v1', listKind: 'EndpointsList', typeName: TYPE, types: kubeTypes} as KindDefinition;
const MIB = 1024 * 1024;

test.each([3, 20])('E-272 a list of %i MiB has the bytes of the whole, however much of it is made twice', count => {
  const metadataOf = (i: number) => ({name: `o-${i}`, uid: 'u', annotations: {pad: 'x'.repeat(MIB)}});
  const steps = Array.from({length: count}, (_, i) => [
    new CachedObject({namespace: '', name: `o-${i}`}, Buffer.from(JSON.stringify({metadata: metadataOf(i)})), 5n, '5'),
  ]);
  const answer = {
    type: 'list',
    kind,
    slices: steps,
    resourceVersion: '7',
    continueToken: 'next',
    remaining: 9,
  } as const;
  const pieces = [...protobufList(answer, steps, undefined)];
  expect(pieces.slice(0, count).every(piece => piece === NOTHING_YET)).toBe(true);
  const whole = encodeProtobuf(kubeTypes, `${TYPE}List`, {
    kind: 'EndpointsList',
    apiVersion: 'v1',
    metadata: {resourceVersion: '7', continue: 'next', remainingItemCount: 9},
    items: steps.map((_, i) => ({metadata: {...metadataOf(i), resourceVersion: '5'}})),
  });
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});
