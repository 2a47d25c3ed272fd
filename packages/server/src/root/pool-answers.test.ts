// SPDX-License-Identifier: Apache-2.0
import {parseIpv4Range} from '@palisade/ids/ipv4-range';
import {expect, test} from 'vitest';
import {unansweredOf} from './pool-answers.ts';

test.each([
  {pool: '127.77.0.0/16', of: 'every Linux host answers', unanswered: []},
  {pool: '192.0.2.0/28', of: 'no host answers (documentation, RFC 5737)', unanswered: ['192.0.2.1', '192.0.2.14']},
])('$pool, which $of', async ({pool, unanswered}) => {
  const range = parseIpv4Range(pool);
  expect(range && (await unansweredOf(range))).toEqual(unanswered);
});
