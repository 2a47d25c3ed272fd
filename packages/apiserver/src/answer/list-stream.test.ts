// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {CachedObject} from '../cache/cached-object.ts';
import {listStream, PIECE_BYTES, releasePiece} from './list-stream.ts';

const START = Buffer.from('{"items":[');
const object = new CachedObject(
  {namespace: '', name: 'a'},
  Buffer.from('{"metadata":{"name":"a","uid":"u"}}'),
  5n,
  '5',
);
const pieces = (): Buffer[] => [...listStream(START, [[object]]).pieces()];

test('a piece that was given back is used again, other buffers are not', () => {
  const [first] = pieces();
  releasePiece(first as Buffer);
  const [second] = pieces();
  expect(second?.buffer).toBe(first?.buffer);
  releasePiece(Buffer.from('of the pool that all of Node shares'));
  const [third] = pieces();
  expect([third?.buffer.byteLength, String(third)]).toEqual([PIECE_BYTES, String(second)]);
});
