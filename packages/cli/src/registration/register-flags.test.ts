// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {durationText, parseSeconds} from '../command-line/durations.ts';
import {UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {identityOf, seenFrom} from './holder.ts';
import {defaultName, labelOfHost} from './names.ts';
import {microTime} from './objects.ts';
import {ownAddressTo, plainAddress, usableAddress} from './own-address.ts';
import {type RegisterPlan, readPlan, registerFlags} from './register-flags.ts';

const plan = (line: string, host = 'db1'): RegisterPlan =>
  readPlan(parseOptions(line.split(' '), registerFlags).options, host);
const portsOf = (line: string) => plan(`--group web ${line}`).wanted.spec.ports;
const faultsOf = (line: string): string[] => {
  try {
    plan(line);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
};

describe('readPlan', () => {
  test('46-3 the shortest line: TTL 30 s, removal after 10 minutes, name and host name of the machine', () => {
    expect(plan('--group web', 'DB_1.example.com')).toEqual({
      name: 'web-db-1.example.com',
      drainSeconds: 0,
      wanted: {
        labels: {},
        spec: {group: 'web', hostname: 'db-1', ttlSeconds: 30, removeAfterSeconds: 600},
      },
    });
  });

  test('46-3 every flag', () => {
    const line =
      '--group web --port http=80 --address 10.0.0.5 2001:db8::1 --hostname a --node-name n1 --name x --label k=v z= --ttl 1m30s --remove-after 1h --drain 15s';
    expect(plan(line)).toEqual({
      name: 'x',
      drainSeconds: 15,
      wanted: {
        labels: {k: 'v', z: ''},
        spec: {
          group: 'web',
          addresses: ['10.0.0.5', '2001:db8::1'],
          hostname: 'a',
          nodeName: 'n1',
          ports: [{name: 'http', port: 80, protocol: 'TCP'}],
          ttlSeconds: 90,
          removeAfterSeconds: 3600,
        },
      },
    });
  });

  test.each<[string, object]>([
    ['80', {port: 80, protocol: 'TCP'}],
    ['80/udp', {port: 80, protocol: 'UDP'}],
    ['dns=53/UDP', {name: 'dns', port: 53, protocol: 'UDP'}],
    ['80:https', {port: 80, protocol: 'TCP', appProtocol: 'https'}],
    ['api=8080/TCP:platform.io/h2c', {name: 'api', port: 8080, protocol: 'TCP', appProtocol: 'platform.io/h2c'}],
  ])('46-3 --port %s', (text, port) => {
    expect(portsOf(`--port ${text}`)).toEqual([port]);
  });

  test.each<[string, object]>([
    ['http', {httpGet: {scheme: 'HTTP'}}],
    ['http:/healthz?a=b', {httpGet: {path: '/healthz?a=b', scheme: 'HTTP'}}],
    ['https:/', {httpGet: {path: '/', scheme: 'HTTPS'}}],
    ['tcp', {tcpSocket: {}}],
    ['tls', {tls: {}}],
    ['tls:db.example.com', {tls: {}, tlsConfig: {serverName: 'db.example.com'}}],
    ['grpc', {grpc: {}}],
    ['grpc:shop.v1.Cart', {grpc: {service: 'shop.v1.Cart'}}],
    ['grpcs', {grpc: {tls: true}}],
    ['ws:/live', {webSocket: {path: '/live', scheme: 'WS'}}],
    ['wss', {webSocket: {scheme: 'WSS'}}],
    ['auto', {}],
  ])('46-3 --check %s', (text, check) => {
    expect(portsOf(`--port 80 --check ${text}`)?.[0]?.check).toEqual(check);
    expect(portsOf(`--port web=80 --check web=${text}`)?.[0]?.check).toEqual(check);
  });

  test('46-3 checks of several ports by their names, with the figures of all', () => {
    expect(
      portsOf(
        '--port a=80 b=81 --check b=tcp --check-period 5s --check-timeout 2s --check-failures 2 --check-passes 3',
      ),
    ).toEqual([
      {name: 'a', port: 80, protocol: 'TCP'},
      {
        name: 'b',
        port: 81,
        protocol: 'TCP',
        check: {tcpSocket: {}, periodSeconds: 5, timeoutSeconds: 2, failureThreshold: 2, successThreshold: 3},
      },
    ]);
  });

  test.each<[string, RegExp]>([
    ['--port 80', /^--group NAME is required/],
    ['--group Web', /^--group Web: a lowercase RFC 1123 subdomain/],
    ['--group web --port http', /^--port http: must be \[NAME=\]NUMBER/],
    ['--group web --port 0', /^--port 0: the number must be from 1 to 65535/],
    ['--group web --port 80/ICMP', /^--port 80\/ICMP: the protocol must be one of TCP, UDP, SCTP/],
    ['--group web --port A=80', /^--port A=80: the name "A": a lowercase RFC 1123 label/],
    ['--group web --port 80 81', /^--port: more than one port needs names/],
    ['--group web --port a=80 a=81', /^--port a=81\/TCP: given twice/],
    ['--group web --port a=80 b=80', /^--port b=80\/TCP: given twice/],
    ['--group web --check tcp', /^--check tcp: needs --port/],
    ['--group web --check-period 5s', /^--check-period: needs --check/],
    ['--group web --port 80 --check icmp', /^--check icmp: must be \[PORT=\]TYPE/],
    ['--group web --port 80 --check tcp:80', /^--check tcp:80: tcp takes no argument/],
    ['--group web --port 80 --check http:healthz', /the path must start with \/, as in http:\/healthz/],
    ['--group web --port 80 --check http:', /give http:\/PATH, or http without a colon/],
    ['--group web --port 80 --check a=tcp', /no --port has the name "a"/],
    ['--group web --port a=80 b=81 --check tcp', /--check PORT=tcp, with a PORT of a, b/],
    ['--group web --port a=80 --check tcp a=http', /^--check a=http: the port has a check already/],
    ['--group web --port 80 --check tcp --check-period 2h', /^--check-period 2h: must be from 1s to 1h/],
    ['--group web --port 80 --check tcp --check-failures 0', /must be a whole number from 1 to 1000/],
    ['--group web --address 127.0.0.1', /^--address 127.0.0.1: may not be in the loopback range/],
    ['--group web --address web', /^--address web: must be a valid IP address/],
    ['--group web --label a', /^--label a: must be KEY=VALUE/],
    ['--group web --ttl 30', /^--ttl 30: must be a duration such as 30s/],
    ['--group web --ttl 0s', /^--ttl 0s: must be from 1s to 24h/],
    ['--group web --drain -1s', /^--drain -1s: must be a duration such as 30s/],
  ])('46-3 refused: %s', (line, fault) => {
    expect(faultsOf(line)[0]).toMatch(fault);
  });

  test('46-3 all faults at once', () => {
    expect(faultsOf('--port x --ttl y --address z')).toHaveLength(4);
  });

  test('46-3 a machine without a usable host name needs --name', () => {
    expect(() => plan('--group web', '___')).toThrow('give --name NAME');
    expect(plan('--group web --name x', '___').wanted.spec.hostname).toBeUndefined();
  });
});

test('46-3 names of hosts', () => {
  expect(labelOfHost('-Ü-node_7-.local')).toBe('node-7');
  expect(labelOfHost('a'.repeat(70))).toHaveLength(63);
  expect(defaultName('web', '10.1')).toBe('web-10.1');
  expect(defaultName('web', `${'a'.repeat(251)}-b`)).toHaveLength(253);
});

test('46-3 durations', () => {
  expect(['90s', '1h30m', '2d', '0s', '5', 's', '1.5m'].map(parseSeconds)).toEqual([
    90,
    5400,
    172_800,
    0,
    undefined,
    undefined,
    undefined,
  ]);
  expect([0, 45, 90, 600, 7200].map(durationText)).toEqual(['0s', '45s', '90s', '10m', '2h']);
});

test('46-3 times of Leases have six digits', () => {
  expect(microTime(Date.UTC(2026, 0, 2, 3, 4, 5, 67))).toBe('2026-01-02T03:04:05.067000Z');
});

describe('46-3 the own address', () => {
  test('46-3 is that of the socket, without what is only its writing', () => {
    expect(plainAddress('::ffff:10.0.0.5')).toBe('10.0.0.5');
    expect(usableAddress('http://s', '2001:db8::1')).toBe('2001:db8::1');
  });

  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.1.1', 'fe80::1%eth0'])('46-3 never %s', address => {
    expect(() => usableAddress('http://s:1', address)).toThrow(
      /^the server http:\/\/s:1 is reached from \S+, which cannot be the address of a member: it may not be in the (loopback|link-local) range.*\ngive the address of this machine that others connect to: --address IP$/,
    );
  });

  test('46-3 a server that is away is no fault of the flags', async () => {
    await expect(ownAddressTo('http://127.0.0.1:1')).rejects.toMatchObject({code: 'unreachable'});
  });
});

describe('46-3 holders', () => {
  const mark = {boot: 'b-1', namespace: 'pid:[1]', startTicks: '77'};

  test('46-3 a process of another boot, or without a mark, cannot be seen', () => {
    const own = identityOf({pid: 5, hostname: 'db_1', mark}, 'r');
    expect(own).toBe('db_1_b-1_pid:[1]_5_77');
    expect(seenFrom(own, identityOf({pid: 5, hostname: 'db_1', mark: {...mark, boot: 'b-2'}}, 'r'))).toBe('elsewhere');
    expect(seenFrom(own, identityOf({pid: 5, hostname: 'db_1', mark: undefined}, 'r'))).toBe('elsewhere');
  });

  test('46-3 of this machine and boot: whether it runs', async () => {
    const {ownMark} = await import('@palisade/engine/process-mark');
    const self = {pid: process.pid, hostname: 'db1', mark: ownMark()};
    const own = identityOf(self, 'r');
    expect(seenFrom(own, own)).toBe(process.pid);
    const ended = {...self, mark: self.mark && {...self.mark, startTicks: '1'}};
    expect(seenFrom(own, identityOf(ended, 'r'))).toBe('gone');
  });
});
