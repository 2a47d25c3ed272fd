// SPDX-License-Identifier: Apache-2.0
/** Addresses of `palisade serve` that cannot be opened together are wrong words, told before anything is opened. */
import {DEFAULT_RULE_POLICY} from '@palisade/sensor';
import {type ServeConfig, toServeConfig} from '@palisade/server/config';
import {expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {readOptions} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';

const configOf = (words: string): ServeConfig => {
  const {options, faults} = readOptions(words.split(' '), serveOptions);
  return toServeConfig(options, {HOME: '/home/u'}, '/cwd', faults);
};
const ACCESS = '--token-auth-file t.csv';
/** A server that may start. */
const OPEN = `${ACCESS} --https 127.0.0.1:9`;
const OWN = 'need the same port: use different ports (0 takes a free port)';
const NO_GRPC = 'need the same port: omit --grpc (--https serves gRPC too), or use another port';

test.each([
  ['--http 127.0.0.1:9 --https 127.0.0.1:9', [`--https 127.0.0.1:9 and --http 127.0.0.1:9 ${OWN}`]],
  ['--http 127.0.0.1:8080 --https 0.0.0.0:8080', [`--https 0.0.0.0:8080 and --http 127.0.0.1:8080 ${OWN}`]],
  ['--http [::1]:9 --https [::]:9', [`--https [::]:9 and --http [::1]:9 ${OWN}`]],
  [
    '--http 127.0.0.1:9 --grpc 127.0.0.1:9 --https 127.0.0.1:9',
    [`--https 127.0.0.1:9 and --http 127.0.0.1:9 ${OWN}`, `--https 127.0.0.1:9 and --grpc 127.0.0.1:9 ${NO_GRPC}`],
  ],
  [
    '--http 127.0.0.1:8 --grpc 127.0.0.1:9 --https 127.0.0.1:9',
    [`--https 127.0.0.1:9 and --grpc 127.0.0.1:9 ${NO_GRPC}`],
  ],
])('%s is refused', (words, faults) => {
  expect(() => configOf(`${words} ${ACCESS}`)).toThrow(new UsageError(faults.join('\n')));
});

const PLAIN = {host: '127.0.0.1', port: 8080};
test.each([
  ['--auth none', PLAIN],
  ['--auth none --https 127.0.0.1:9', PLAIN],
  ['--auth none --https 127.0.0.1:9 --http off', undefined],
  [`${ACCESS} --https 0.0.0.0:9`, undefined],
  [`${ACCESS} --https 0.0.0.0:8080`, undefined],
  [`${ACCESS} --https 0.0.0.0:9 --http 127.0.0.1:8081`, {host: '127.0.0.1', port: 8081}],
  [`${ACCESS} --http 127.0.0.1:8081`, {host: '127.0.0.1', port: 8081}],
])('F-25 %s: plain HTTP at %j', (words, http) => {
  expect(configOf(words)).toMatchObject({http});
});

const TLS = {host: '127.0.0.1', port: 6443};
test.each([
  ['--data d', undefined, TLS],
  ['--http off', undefined, TLS],
  ['--http 127.0.0.1:8080', PLAIN, TLS], // else nobody could sign in to create a credential
  ['--grpc 127.0.0.1:9', undefined, TLS],
  [ACCESS, undefined, TLS],
  [`${ACCESS} --http off`, undefined, TLS],
  [`${ACCESS} --http 127.0.0.1:8080`, PLAIN, undefined],
  ['--auth none', PLAIN, undefined],
  ['--auth none --https 127.0.0.1:6443', PLAIN, TLS],
  ['--http 127.0.0.1:8080 --https off', PLAIN, undefined],
])('47-1 %s: plain HTTP at %j, HTTPS at %j', (words, http, https) => {
  expect(configOf(words)).toMatchObject({http, https});
});

test.each([
  ['--tls-names a/b', '--tls-names a/b: must be a DNS name or an IP address, such as palisade.example or 10.98.0.1'],
  ['--tls-names x --tls-cert c --tls-key k', '--tls-names is for the certificate that the server issues'],
  ['--client-crl-file c.pem', '--client-crl-file needs --client-ca-file, whose CA signs it'],
  ['--auth none --client-ca-file c.pem', '--auth none and --client-ca-file cannot be used together'],
  [`${ACCESS} --http 127.0.0.1:0 --https off --client-ca-file c.pem`, '--client-ca-file needs --https'],
  ['--http 192.0.2.1:80', '--http 192.0.2.1: plain HTTP is served on loopback only'],
  ['--auth none --https 192.0.2.1:443', '--auth none is refused on 192.0.2.1'],
])('47-1 %s is refused', (words, fault) => {
  expect(() => configOf(words)).toThrow(fault);
});

test.each(['--https off', `${ACCESS} --http off --https off`, '--auth none --http off'])(
  'F-25 %s is refused: no port would be open',
  words => {
    expect(() => configOf(words)).toThrow(
      new UsageError('no address to listen on: use --https HOST:PORT, or --http HOST:PORT for this machine only'),
    );
  },
);

test.each([
  ['--http OFF', '--http "OFF" is not HOST:PORT (for example 127.0.0.1:8080 or [::1]:8080)'],
  ['--http 0.0.0.0:9', '--http 0.0.0.0: plain HTTP is served on loopback only; use --https for other addresses'],
])('F-25 %s is refused', (words, fault) => {
  expect(() => configOf(`${ACCESS} --https 127.0.0.1:8 ${words}`)).toThrow(new UsageError(fault));
});

test.each([
  ['--rules-min-loaded 90%', '--rules-min-loaded 90%: must be a percentage from 0 to 100, such as 90'],
  ['--rules-min-loaded 101', '--rules-min-loaded 101: must be a percentage from 0 to 100, such as 90'],
  ['--rules-min-loaded -1', '--rules-min-loaded -1: must be a percentage from 0 to 100, such as 90'],
  ['--rules-strict --rules-min-loaded 5', '--rules-strict and --rules-min-loaded cannot be used together'],
])('F-11 %s is refused', (words, fault) => {
  expect(() => configOf(`${words} ${OPEN}`)).toThrow(new UsageError(fault));
});

test('F-11 the share of rules that must load, as given; left out it is the default that the help names', () => {
  expect(configOf(`--rules-min-loaded 99.5 ${OPEN}`)).toMatchObject({
    sensors: {rulesMinLoaded: 99.5, rulesStrict: false},
  });
  expect(configOf(`--rules-strict ${OPEN}`)).toMatchObject({sensors: {rulesMinLoaded: undefined, rulesStrict: true}});
  const {minLoadedPercent} = DEFAULT_RULE_POLICY;
  expect(serveOptions['rules-min-loaded'].doc).toContain(`(default ${minLoadedPercent})`);
});

test.each([
  '--http 127.0.0.1:0 --https 127.0.0.1:0',
  '--http 127.0.0.1:9 --grpc 127.0.0.1:9',
  '--http 127.0.0.1:9 --https 127.0.0.2:9',
  '--http [::1]:9 --https 0.0.0.0:9',
])('%s is taken', words => {
  expect(configOf(`${words} ${ACCESS}`)).toBeDefined();
});

test('F-10 --home-net takes words and commas, and every fault is named beside those of other flags', () => {
  expect(configOf(`--home-net 203.0.113.0/24,!203.0.113.9 2001:db8::/32 ${OPEN}`).sensors.homeNet).toEqual([
    '203.0.113.0/24',
    '!203.0.113.9/32',
    '2001:db8::/32',
  ]);
  expect(configOf(OPEN).sensors.homeNet).toBeUndefined();
  expect(() => configOf(`--home-net 10.0.0.0/33,any --home-net=10.1.0.0/8 --endpoint-pool x ${OPEN}`)).toThrow(
    new UsageError(
      [
        '--endpoint-pool x: must be an IPv4 range such as 127.77.0.0/16, from /8 to /30',
        '--home-net 10.0.0.0/33: must be a network such as 10.0.0.0/8 or fd00::/8, or an address, with ! in front to exclude it',
        '--home-net any: cannot be combined with networks',
        '--home-net 10.1.0.0/8: has host bits set: write 10.0.0.0/8',
      ].join('\n'),
    ),
  );
});

test('43-1 --mirror-from takes words and commas, and every fault is named beside those of other flags', () => {
  const senders = (words: string) => configOf(`${words} ${OPEN}`).sensors.mirrorFrom;
  expect(senders('--mirror-from 10.1.0.0/16,192.0.2.7 fd00::/8')).toEqual(['10.1.0.0/16', '192.0.2.7/32', 'fd00::/8']);
  expect(configOf(OPEN).sensors.mirrorFrom).toEqual([]);
  expect(() => senders('--mirror-from 10.1.2.3/16,x --home-net 10.0.0.0/33')).toThrow(
    new UsageError(
      [
        '--home-net 10.0.0.0/33: must be a network such as 10.0.0.0/8 or fd00::/8, or an address, with ! in front to exclude it',
        '--mirror-from 10.1.2.3/16: has host bits set: write 10.1.0.0/16',
        '--mirror-from x: must be a network such as 10.0.0.0/8, or an address',
      ].join('\n'),
    ),
  );
  expect(() => senders('--mirror-from ,')).toThrow(new UsageError('--mirror-from lists no network'));
});

test('F-12 the VNI counts unless --accept-any-vni says otherwise', () => {
  expect([configOf(OPEN).sensors.acceptAnyVni, configOf(`--accept-any-vni ${OPEN}`).sensors.acceptAnyVni]).toEqual([
    false,
    true,
  ]);
});

test('44-1 the least size and age of a budget in the help are those that are taken', () => {
  for (const name of ['threats', 'traffic', 'evidence'] as const) {
    expect(serveOptions[`${name}-bytes`].doc).toContain('(least 16MiB, ');
    expect(serveOptions[`${name}-age`].doc).toContain('(least 1m, ');
    expect(() => configOf(`${OPEN} --${name}-bytes 16MiB --${name}-age 1m`)).not.toThrow();
    expect(() => configOf(`${OPEN} --${name}-bytes 15MiB --${name}-age 59s`)).toThrow(`--${name}-bytes 15MiB: must be`);
  }
});

test('49-1 the console is served unless --console=false says otherwise', () => {
  expect(
    ['--auth none', '--auth none --console', '--auth none --console=false'].map(words => configOf(words).console),
  ).toEqual([true, true, false]);
});
