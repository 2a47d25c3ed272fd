// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {ANY_TLS, HTTP, realTimers, targetOf} from '../testing/check-once.ts';
import {refusedAddress} from './address.ts';
import {startCheck} from './start-check.ts';
import {TlsContexts} from './tls-contexts.ts';

test.each([
  ['0.0.0.0', 'an unspecified address'],
  ['0.1.2.3', 'an unspecified address'],
  ['::', 'an unspecified address'],
  ['127.0.0.1', 'a loopback address'],
  ['127.255.255.255', 'a loopback address'],
  ['::1', 'a loopback address'],
  ['0:0:0:0:0:0:0:1', 'a loopback address'],
  ['::ffff:127.0.0.1', 'a loopback address'],
  ['::ffff:7f00:1', 'a loopback address'],
  ['::ffff:0.0.0.0', 'an unspecified address'],
  ['169.254.169.254', 'a link-local address'],
  ['::ffff:169.254.169.254', 'a link-local address'],
  ['fe80::1', 'a link-local address'],
  ['febf::1', 'a link-local address'],
  ['224.0.0.1', 'a multicast address'],
  ['239.255.255.255', 'a multicast address'],
  ['::ffff:224.0.0.1', 'a multicast address'],
  ['ff02::1', 'a multicast address'],
  ['255.255.255.255', 'the broadcast address'],
  ['::127.0.0.1', 'an IPv6 address that stands for one of IPv4'],
  ['64:ff9b::7f00:1', 'an IPv6 address that stands for one of IPv4'],
  ['64:ff9b:1::7f00:1', 'an IPv6 address that stands for one of IPv4'],
  ['64:ff9b:1:7f00:0:100::', 'an IPv6 address that stands for one of IPv4'],
  ['fd00:ec2::254', 'an address of instance metadata'],
  ['168.63.129.16', 'an address of instance metadata'],
  ['::ffff:100.100.100.200', 'an address of instance metadata'],
  ['fd00:0ec2:0:0:0:0:0:0254', 'an address of instance metadata'],
  ['fd20:ce::254', 'an address of instance metadata'],
  ['2002:7f00:1::1', 'an IPv6 address (6to4) of a loopback address'],
  ['2002:7f00:0001:0:0:0:0:1', 'an IPv6 address (6to4) of a loopback address'],
  ['2002:a9fe:a9fe::', 'an IPv6 address (6to4) of a link-local address'],
  ['2002::', 'an IPv6 address (6to4) of an unspecified address'],
  ['2002:7f00::1', 'an IPv6 address (6to4) of a loopback address'],
  ['fe80::1%eth0', 'an address with a zone'],
  ['2001:db8::1%eth0', 'an address with a zone'],
  ['localhost', 'not an IP address'],
  ['127.1', 'not an IP address'],
  ['', 'not an IP address'],
])('E-061 %s is refused: %s', (ip, why) => expect(refusedAddress(ip)).toBe(why));

test.each([
  '1.0.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '223.255.255.255',
  '10.0.0.1',
  '::ffff:10.0.0.1',
  '2001:db8::1',
  'fec0::1',
  'fd00::1',
  'fd00:ec2::253',
  '2002:a00:1::1',
  '2002:c0a8:101::',
])('E-061 %s is checked', ip => expect(refusedAddress(ip)).toBeUndefined());

const SECURE = {...HTTP, tls: ANY_TLS};
test.each([
  ['tcp', {type: 'tcp'}],
  ['tls', {type: 'tls', tls: ANY_TLS}],
  ['http', HTTP],
  ['https', SECURE],
  ['http/2', {...HTTP, version: '2-prior-knowledge'}],
  ['ws', {...HTTP, type: 'web-socket'}],
  ['wss', {...SECURE, type: 'web-socket'}],
  ['grpc', {type: 'grpc', tls: undefined, service: ''}],
] as const)(
  'E-061 46-2 a check by %s of a refused address fails and says so, and nothing connects',
  async (_name, method) => {
    const {promise, resolve} = Promise.withResolvers();
    const ports = {guard: refusedAddress, contexts: new TlsContexts(), timers: realTimers};
    startCheck(targetOf(9, method, {ip: '::ffff:127.0.0.1'}), ports, resolve);
    expect(await promise).toEqual({kind: 'failed', message: 'not checked: ::ffff:127.0.0.1 is a loopback address'});
  },
);
