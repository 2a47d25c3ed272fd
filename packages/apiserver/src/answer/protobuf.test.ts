// SPDX-License-Identifier: Apache-2.0
import {encodeProtobuf, kubeTypes} from '@palisade/kube-wire';
import {expect, test} from 'vitest';
import {CachedObject} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import {NOTHING_YET} from './list-body.ts';
import {ListMemory} from './list-memory.ts';
import {protobufList} from './protobuf.ts';

const TYPE = 'io.k8s.api.core.v1.Endpoints';
const kind = {group: '', version: 'v1', listKind: 'EndpointsList', typeName: TYPE, types: kubeTypes} as KindDefinition;
const MIB = 1024 * 1024;

/** Objects of a MiB each, one in a step, and how often each was written. */
const long = (count: number) => {
  const metadataOf = (i: number) => ({name: `o-${i}`, uid: 'u', annotations: {pad: 'x'.repeat(MIB)}});
  const written = new Map<string, number>();
  class Counted extends CachedObject {
    override write(target: Buffer, at: number): number {
      written.set(this.name, (written.get(this.name) ?? 0) + 1);
      return super.write(target, at);
    }
  }
  const steps = Array.from({length: count}, (_, i) => [
    new Counted({namespace: '', name: `o-${i}`}, Buffer.from(JSON.stringify({metadata: metadataOf(i)})), 5n, '5'),
  ]);
  const answer = {
    type: 'list',
    isFromHistory: false,
    kind,
    slices: steps,
    resourceVersion: '7',
    continueToken: 'next',
    remaining: 9,
  } as const;
  const whole = encodeProtobuf(kubeTypes, `${TYPE}List`, {
    kind: 'EndpointsList',
    apiVersion: 'v1',
    metadata: {resourceVersion: '7', continue: 'next', remainingItemCount: 9},
    items: steps.map((_, i) => ({metadata: {...metadataOf(i), resourceVersion: '5'}})),
  });
  return {answer, steps, whole, times: () => [...written.values()]};
};
const ROOM_BYTES = 4.5 * MIB;
const isFree = (room: ListMemory): boolean => room.prepare(Buffer.alloc(ROOM_BYTES));

test('E-272 a long list has the bytes of the whole; what there is no room for is made twice', () => {
  const [room, {answer, steps, whole, times}] = [new ListMemory(ROOM_BYTES), long(7)];
  const pieces = [...protobufList(answer, steps, undefined, room)];
  expect(pieces.slice(0, 7).every(piece => piece === NOTHING_YET)).toBe(true);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  expect(times()).toEqual([1, 1, 1, 1, 2, 2, 2]);
  expect(isFree(room)).toBe(true);
});

test('lists that are made at the same time share the room, and give it back also when they are given up', () => {
  const room = new ListMemory(ROOM_BYTES);
  const [first, second] = [long(5), long(2)];
  const givenUp = protobufList(first.answer, first.steps, undefined, room);
  for (let i = 0; i < 5; i++) givenUp.next();
  expect(Buffer.concat([...protobufList(second.answer, second.steps, undefined, room)]).equals(second.whole)).toBe(
    true,
  );
  expect(second.times()).toEqual([2, 2]);
  givenUp.next(); // its start
  givenUp.next(); // its first item
  expect(isFree(room)).toBe(false);
  givenUp.return(undefined);
  expect(isFree(room)).toBe(true);
});
