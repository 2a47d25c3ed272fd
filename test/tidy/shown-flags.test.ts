// SPDX-License-Identifier: Apache-2.0
/** What help shows works: every flag of every command, every value of it that is shown, every example. */
import {type Command, commandHelp, commands} from '@palisade/cli';
import {describe, expect, test} from 'vitest';
import {findCommand} from '../../packages/cli/src/command-line/command.ts';
import {describeOptions} from '../../packages/cli/src/command-line/help.ts';
import {type Option, readOptions} from '../../packages/cli/src/command-line/options.ts';
import {serveOptions} from '../../packages/cli/src/serve/serve-options.ts';
import {DRIVERS} from '../../packages/sensor/src/capture/choose.ts';
import {toServeConfig} from '../../packages/server/src/parts/config.ts';
import {faultsOf, read, tracked} from './source-files.ts';

const serve = commands.find(command => command.name === 'serve') as Command;

/** A value that fits, by the placeholder that help shows. */
const SAMPLES: Readonly<Record<string, string>> = {
  MB: '100',
  VERB: 'get',
  RESOURCE: 'endpoints',
  CODE: '403',
  DECISION: 'forbid',
  DAYS: '30',
  DIR: './data',
  FILE: 'file',
  'HOST:PORT': '127.0.0.1:0',
  'A,B': 'local',
  URN: 'urn:pulumi:dev::shop::platform:core/v1:Endpoints::web',
  'KEY=VALUE': 'region=local',
  'NAME=URN': 'web=urn:pulumi:dev::shop::platform:core/v1:Endpoints::web',
  STACK: 'production',
  CIDR: '10.77.0.0/16',
  N: '3',
  PERCENT: '90',
  NAME: 'web',
  NS: 'default',
  NODE: 'worker-1',
  TEXT: 'text',
  TOKEN: 'change-me',
  T: '10m',
  '[WIDTH]': '1h',
  UID: '5b2d3c1e-7f52-4e5a-9a54-0c7a4c8a3f10',
  F: 'alert_severity>=HIGH',
  URL: 'http://127.0.0.1:8080',
  IFACE: 'eth0',
  MATCH: '2019401',
  'NAME=VALUE': 'DNS_SERVERS=10.0.0.53',
  USER: 'nobody',
  GROUP: 'dev',
  SIZE: '2GiB',
  AGE: '30d',
  WHAT: 'payload',
  CORES: '1.5',
  PORT: 'http=80',
  CHECK: 'http:/healthz',
  DURATION: '30s',
  IP: '10.0.0.7',
  HOST: 'db1',
  ISSUER: 'https://issuer.example.com',
  ID: 'palisade',
  CLAIM: 'email',
  'K=V': 'hd=example.com',
  ALG: 'RS256',
  'NS/NAME': 'shop/deployer',
};

/** `HOST:PORT|off` and `CIDR,…` are forms of their first part. */
function sampleOf(placeholder: string): string {
  const sample = SAMPLES[placeholder] ?? SAMPLES[/^[^|,]*/.exec(placeholder)?.[0] ?? ''];
  if (sample === undefined) throw new Error(`add a value that fits ${placeholder} to SAMPLES`);
  return sample;
}

/** The flags that help shows, with each value that it shows or, where any value of a form will do, one of that form. */
const shownWords = (command: Command): string[][] =>
  describeOptions(command.options).flatMap(line => {
    const [, name = '', placeholder] = /--([a-z0-9-]+)(?: ([^ …]+))?/.exec(line) ?? [];
    const option: Option | undefined = command.options[name];
    const choices = / \((?:([^()]*?)(?:; )?)?(?:default [^()]*)?\)$/.exec(line)?.[1]?.split(' | ');
    if (option?.oneOf !== undefined) expect(choices, line).toEqual(option.oneOf);
    if (option?.type === 'boolean') return [[`--${name}`]];
    const values = option?.oneOf === undefined ? [option?.default ?? sampleOf(placeholder ?? '')] : (choices ?? []);
    return values.map(value => [`--${name}`, value]);
  });

describe('every command', () => {
  test.each(commands.map(command => [command.name, command] as const))(
    'F-27 %s: every flag and value that help shows is taken',
    (_, command) => {
      for (const words of shownWords(command))
        expect(readOptions(words, command.options).faults, words.join(' ')).toEqual([]);
    },
  );

  const ISSUER = ['--https', '127.0.0.1:0', '--oidc-issuer-url', 'https://issuer.example.com'];
  const CLIENT = ['--oidc-client-id', 'palisade'];
  const OIDC = [
    'username-claim',
    'username-prefix',
    'groups-claim',
    'groups-prefix',
    'required-claim',
    'signing-algs',
    'ca-file',
    'client-secret-file',
    'scopes',
  ];
  /** Flags that need another one, or stand in for one. */
  const BACKUPS = ['--auth', 'none', '--backup-dir', '/mnt/backups'];
  const AND: Readonly<Record<string, readonly string[]>> = {
    'tls-cert': ['--auth', 'none', '--tls-key', 'key'],
    'tls-key': ['--auth', 'none', '--tls-cert', 'cert'],
    auth: [],
    'client-ca-file': [],
    'client-crl-file': ['--client-ca-file', 'ca'],
    'tls-names': ['--https', '127.0.0.1:0'],
    'token-auth-file': ['--https', '127.0.0.1:0'],
    'oidc-issuer-url': ['--https', '127.0.0.1:0', ...CLIENT],
    'oidc-client-id': ISSUER,
    ...Object.fromEntries(['every', 'keep', 'records'].map(name => [`backup-${name}`, BACKUPS])),
    ...Object.fromEntries(OIDC.map(name => [`oidc-${name}`, [...ISSUER, ...CLIENT]])),
  };

  test.each(shownWords(serve).map(words => [words.join(' '), words] as const))(
    'F-27 serve %s: a server would start with it',
    (_, words) => {
      const name = (words[0] ?? '').slice(2);
      const {options, faults} = readOptions([...words, ...(AND[name] ?? ['--auth', 'none'])], serveOptions);
      expect(() => toServeConfig(options, {HOME: '/home/u'}, '/', faults)).not.toThrow();
      if (name === 'driver') expect(['auto', ...DRIVERS.map(({driver}) => driver)]).toContain(options.driver);
    },
  );

  test.each(commands.flatMap(command => command.examples.map(example => [example, command] as const)))(
    'F-27 the example %s',
    (example, command) => {
      const line = /\bpalisade ([^|]*)/.exec(example)?.[1] ?? '';
      const found = findCommand(
        line.split(' ').filter(word => word !== ''),
        commands,
      );
      const [shown, rest] = found === undefined ? [command, []] : [found.command, found.rest];
      if (rest.includes('--help')) return;
      const {faults} = readOptions(rest, shown.options, {max: Number.POSITIVE_INFINITY});
      expect(faults).toEqual([]);
    },
  );
});

describe('what does not work yet', () => {
  const refused = [
    ['--store etcd=http://127.0.0.1:2379', /^--store etcd=\S+: not in this version; leave it out to use the embedded/],
  ] as const;

  test.each(refused)('F-27 serve %s is refused with the way out', (words, fault) => {
    const {options, faults} = readOptions(['--auth', 'none', ...words.split(' ')], serveOptions);
    expect(() => toServeConfig(options, {}, '/', faults)).toThrow(fault);
  });

  test('F-27 it is not in help, nor in what a misspelt flag or value is answered with', () => {
    expect(commandHelp(serve, commands)).not.toMatch(/etcd|--store|not there yet|not in this version/);
    const {faults} = readOptions(['--stor', 'x', '--driver', 'afpackt'], serveOptions);
    expect(faults).toEqual([
      'unknown flag "--stor"',
      '--driver afpackt: must be one of auto, afpacket, afpacket-bpf, relay',
    ]);
  });
});

/** Flags of other programs that the documents name: curl, gcloud, kubectl, kube-apiserver, the Pulumi CLI; and `--help` of every command. */
const OF_OTHERS = [
  ...['access-token-file', 'applyset', 'audience', 'authentication-config', 'bound-object-kind', 'cacert'],
  ...['force-conflicts', 'help', 'properties'],
];

test('F-27 every flag that README, CHANGELOG, guides and reference name exists', () => {
  const documents = tracked.filter(path =>
    /^(?:README|ARCHITECTURE|CHANGELOG)\.md$|^docs\/(?:guides|reference)\/.*\.md$/.test(path),
  );
  const known = new Set(commands.flatMap(({options}) => Object.keys(options)));
  const namedIn = (path: string): string[] =>
    [...read(path).matchAll(/`--([a-z][a-z0-9-]*)/g)].map(([, name = '']) => name);
  expect(
    faultsOf(documents, path => namedIn(path).filter(name => !known.has(name) && !OF_OTHERS.includes(name))),
  ).toEqual([]);
  const named = new Set(documents.flatMap(namedIn));
  expect(OF_OTHERS.filter(name => known.has(name) || !named.has(name))).toEqual([]);
});
