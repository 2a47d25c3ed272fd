// SPDX-License-Identifier: Apache-2.0
import {PassThrough} from 'node:stream';
import {DEFAULT_LIMITS, UnreadAnswers} from '@palisade/apiserver';
import {ManualTime} from '@palisade/apiserver/testing';
import {expect, test} from 'vitest';
import type {AnyRequest, AnyResponse} from './listeners.ts';
import {boundOf, readText} from './read-text.ts';

/** Room for one request whose body is to come, and not for two. */
const unreadBytesPerUserMax = 40 * 1024;

test('I-114 bodies that come before a sign-in are counted by IPv4 address and by IPv6 network', async () => {
  const timers = new ManualTime();
  const limits = {...DEFAULT_LIMITS, unreadBytesPerUserMax};
  const unread = new UnreadAnswers({limits, timers, log: {warn: () => {}}});
  const begin = (remoteAddress: string) => {
    const request = Object.assign(new PassThrough(), {headers: {}, socket: {remoteAddress}});
    const asked = request as unknown as AnyRequest;
    const bound = boundOf(asked, new PassThrough() as unknown as AnyResponse, {unread, path: '/', what: 'a body'});
    return {request, text: readText(asked, {bytesMax: 100, bound, timers})};
  };
  const first = [begin('2001:db8:0:1::1'), begin('10.0.0.1')];
  for (const address of ['2001:db8:0:1:9::2', '::ffff:10.0.0.1']) {
    const {request, text} = begin(address);
    request.end('x');
    expect(await text, address).toMatchObject({code: 429});
  }
  for (const address of ['2001:db8:0:2::1', '10.0.0.2']) {
    const {request, text} = begin(address);
    request.end('x');
    expect(await text, address).toBe('x');
  }
  for (const {request} of first) request.end('x');
  expect(await Promise.all(first.map(({text}) => text))).toEqual(['x', 'x']);
  expect(unread.bytes).toBe(0);
});
