// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {parseTimeout, parseTo} from '../commands/test-threat.ts';
import {diagnose, type Failure, figuresOf, growth} from './diagnose.ts';
import {filterOf, madeUpSession, realRequests} from './probes.ts';

const sum = (bytes: Buffer): number => {
  let total = 0;
  for (let at = 0; at < bytes.length; at += 2) total += (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  while (total > 0xffff) total = (total & 0xffff) + (total >>> 16);
  return total;
};

describe('packets', () => {
  const session = madeUpSession('abc', Uint8Array.from([7, 1, 2, 255, 255]));

  test('43-4 every packet has right lengths and checksums', () => {
    expect(session.frames.length).toBeGreaterThan(10);
    for (const frame of session.frames) {
      const ip = frame.subarray(14);
      expect(ip.readUInt16BE(2)).toBe(ip.length);
      expect(sum(ip.subarray(0, 20))).toBe(0xffff);
      const tcp = ip.subarray(20);
      const pseudo = Buffer.from([0, 6, tcp.length >> 8, tcp.length & 0xff]);
      expect(sum(Buffer.concat([ip.subarray(12, 20), pseudo, tcp]))).toBe(0xffff);
    }
  });

  test('43-4 only documentation addresses, and a connection that is closed by both sides', () => {
    expect(session.ends).toMatchObject({
      client: '198.51.100.8',
      server: expect.stringMatching(/^192\.0\.2\.\d+$/),
      serverPort: 80,
    });
    const flags = session.frames.map(frame => frame[14 + 20 + 13]);
    expect(flags.slice(0, 3)).toEqual([2, 18, 16]);
    expect(flags.slice(-3)).toEqual([17, 17, 16]);
  });

  test('43-4 the filter finds the connection in both directions, or its marker', () => {
    expect(filterOf(session.ends, 'abc')).toBe(
      '(source_ip_address="198.51.100.8" AND source_port=20258) OR (destination_ip_address="198.51.100.8" AND destination_port=20258) OR uri_or_filename:"abc"',
    );
  });

  test('43-4 requests to a real server carry no path of a file and no command', () => {
    const requests = realRequests('abc', 'shop.example').join('');
    expect(requests.match(/^GET \/palisade-test-threat\/abc HTTP/gm)).toHaveLength(3);
    expect(requests).not.toMatch(/passwd|\.\.|jndi|;[^}]*\w+ \//);
  });
});

describe('diagnosis', () => {
  const NONE = figuresOf({});
  const why = (grown: Partial<Failure['grown']>, more: Partial<Failure> = {}): string =>
    diagnose({
      endpoint: {network: 'n', severity: 'HIGH', threatExceptions: ['1:2']},
      ...{
        ip: '10.77.0.1',
        vni: 7,
        health: {status: 'READY', rulesLoaded: 56, ruleSetVersion: 'v1'},
        sent: 20,
        waitedMs: 15_000,
      },
      grown: {...NONE, ...grown},
      ...more,
    }).join('\n');

  test.each([
    [
      'nothing arrived',
      {},
      {},
      'no packet arrived at 10.77.0.1: check the route to it (ip route get 10.77.0.1), and that UDP 4789',
    ],
    [
      'a loopback address',
      {},
      {ip: '127.77.0.1'},
      'no packet arrived at 127.77.0.1: this address is on the host of the server only',
    ],
    ['no mirror', {}, {sent: undefined}, 'no packet arrived at 10.77.0.1: the mirror does not send there'],
    ['another VNI', {foreignVni: 20}, {}, '20 packets carried another VNI than 7: send with VNI 7'],
    ['a sender refused', {refusedSender: 20}, {}, '20 packets were refused by sender: add the address'],
    ['severity', {received: 20, seen: 3, filtered: 3}, {}, '3 alerts were below the severity HIGH'],
    ['exceptions', {received: 20, seen: 1, excepted: 1}, {}, '1 alerts were hidden by exceptions (1:2)'],
    ['loss on the way', {received: 5}, {}, 'only 5 of 20 packets arrived'],
    ['no rule', {received: 20}, {}, 'no active rule matched (56 rules, version v1)'],
    ['alerts of others', {received: 20, seen: 2}, {}, 'alerts were raised, but none for the test'],
  ] as const)('43-4 %s', (_, grown, more, text) => {
    expect(why(grown, more)).toContain(text);
  });

  test('43-4 the endpoint’s own reasons are repeated', () => {
    expect(why({}, {health: {status: 'DEGRADED', reasons: ['Suricata is down']}})).toContain(
      'the endpoint is DEGRADED: Suricata is down',
    );
  });

  test('43-4 inspection is not claimed of an endpoint that is not READY: its reasons come first', () => {
    const reason = 'Suricata has not read packets for 7 s';
    const text = why({received: 20}, {health: {status: 'DEGRADED', reasons: [reason]}});
    expect(text).toBe(
      `the endpoint is DEGRADED: ${reason}\npackets arrived; whether they were inspected is not known while the endpoint is DEGRADED: mend that first, then test again`,
    );
  });

  test('43-4 nor after a wait that is too short for the count of Suricata', () => {
    const text = why({received: 20}, {waitedMs: 2_000});
    expect(text).toBe(
      'packets arrived, but 2 s are too short to know whether they were inspected: try again with --timeout 15s',
    );
  });

  test('43-4 figures grow from one health to the next; a figure that the server lacks is 0', () => {
    const before = figuresOf({packets: {received: 3}, alerts: {seen: 1}});
    const after = figuresOf({packets: {received: 9, foreignVni: 2}, alerts: {seen: 1}});
    expect(growth(before, after)).toEqual({...NONE, received: 6, foreignVni: 2});
  });
});

test.each([
  ['15s', 15_000],
  ['200ms', 200],
  ['2m', 120_000],
  ['7', 7_000],
  ['0', undefined],
  ['1h', undefined],
  ['', undefined],
])('43-4 --timeout %s', (text, ms) => expect(parseTimeout(text)).toBe(ms));

test.each([
  ['10.0.0.5:80', {host: '10.0.0.5', port: 80}],
  ['[2001:db8::1]:8080', {host: '2001:db8::1', port: 8080}],
  ['shop.example:80', {host: 'shop.example', port: 80}],
  ['shop.example', undefined],
  ['2001:db8::1:80', undefined],
  ['a:70000', undefined],
])('43-4 --to %s', (text, to) => expect(parseTo(text)).toEqual(to));
