// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {STEPS} from '../base/limits.ts';
import {CachedObject} from '../cache/cached-object.ts';
import {storedList} from './list-body.ts';
import {ListMemory} from './list-memory.ts';

const START = Buffer.from('{"items":[');
const object = new CachedObject(
  {namespace: '', name: 'a'},
  Buffer.from('{"metadata":{"name":"a","uid":"u"}}'),
  5n,
  '5',
);
const memory = new ListMemory(0);
const pieces = (of = memory): Buffer[] => [...storedList(START, [[object]], of).pieces()];

test('a piece that was given back is used again by the same server, other buffers are not', () => {
  const [first] = pieces();
  memory.releasePiece(first as Buffer);
  expect(pieces(new ListMemory(0))[0]?.buffer).not.toBe(first?.buffer);
  const [second] = pieces();
  expect(second?.buffer).toBe(first?.buffer);
  memory.releasePiece(Buffer.from('of the pool that all of Node shares'));
  const [third] = pieces();
  expect([third?.buffer.byteLength, String(third)]).toEqual([STEPS.listPieceBytes, String(second)]);
});
