// SPDX-License-Identifier: Apache-2.0
/** What may come before a sign-in. */
import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import type {AnyRequest} from '../port/listeners.ts';
import type {BodyBound} from '../port/read-text.ts';
import {readToken} from './read-token.ts';

const request = (): PassThrough & AnyRequest =>
  Object.assign(new PassThrough(), {headers: {'content-type': 'application/json'}}) as unknown as PassThrough &
    AnyRequest;

test('49-2 bodies that come before a sign-in count, and are refused where there is no room for them', async () => {
  let held = 0;
  const bound: BodyBound = {
    fault: bytes => (held + bytes > 40 ? 'too many unread answers' : undefined),
    holdBody: bytes => {
      held = bytes;
    },
    releaseBody: () => {
      held = 0;
    },
  };
  const [small, large] = [request(), request()];
  small.write('{"token":');
  const read = readToken(small, bound);
  await expect.poll(() => held).toBe(9);
  small.end('"abc"}');
  expect([await read, held]).toEqual(['abc', 0]);
  large.end(JSON.stringify({token: 'x'.repeat(50)}));
  expect(await readToken(large, bound)).toEqual({
    ...{code: 429, message: 'too many unread answers', retryAfterSeconds: 1},
  });
  expect(held).toBe(0);
});
