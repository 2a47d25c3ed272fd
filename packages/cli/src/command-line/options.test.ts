// SPDX-License-Identifier: Apache-2.0

import {toServeConfig} from '@palisade/server/config';
import {describe, expect, test} from 'vitest';
import {serveOptions} from '../serve/serve-options.ts';
import {describeOptions} from './help.ts';
import {UsageError} from './io.ts';
import {parseOptions, readOptions} from './options.ts';

const table = {
  http: {type: 'string', default: '127.0.0.1:8080', doc: ''},
  json: {type: 'boolean', doc: ''},
  rules: {type: 'list', doc: ''},
  compat: {type: 'string', oneOf: ['spec', 'kubernetes'], doc: ''},
} as const;

const faultsOf = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof UsageError) return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('parseOptions', () => {
  test('takes --flag value, --flag=value, switches, lists and defaults', () => {
    const {options, positionals} = parseOptions(['a', '--rules', 'x', 'y', '--json', '--compat=spec'], table, {max: 1});
    expect(options).toEqual({http: '127.0.0.1:8080', json: true, rules: ['x', 'y'], compat: 'spec'});
    expect(positionals).toEqual(['a']);
  });

  test('names every fault at once, with the nearest flag', () => {
    expect(
      faultsOf(() => parseOptions(['--htp', 'x', '--compat', 'k8s', '--json=maybe', 'surplus', '--rules'], table)),
    ).toEqual([
      'unknown flag "--htp": did you mean "--http"?',
      '--compat k8s: must be one of spec, kubernetes',
      '--json=maybe: must be true or false',
      '--rules needs a value (VALUE)',
      'unexpected word "surplus"',
    ]);
  });

  test.each(['constructor', 'toString', '__proto__'])('--%s, which every object has, is an unknown flag', name => {
    expect(faultsOf(() => parseOptions([`--${name}`], table))).toEqual([
      expect.stringMatching(new RegExp(`^unknown flag "--${name}"`)),
    ]);
  });

  test('refuses a second value where only one counts; lists grow, and a switch may be said twice', () => {
    const words = ['--http', 'a:1', '--http=b:2', '--json', '--json=false', '--compat', 'spec', '--compat', 'spec'];
    expect(faultsOf(() => parseOptions(words, table))).toEqual([
      '--http is given twice: give it once',
      '--json is given twice: give it once',
      '--compat is given twice: give it once',
    ]);
    const {options} = parseOptions(['--json', '--json', '--rules', 'x', '--rules', 'y'], table);
    expect(options).toMatchObject({json: true, rules: ['x', 'y']});
  });

  test('takes a letter where the table has one, in the forms of kubectl', () => {
    const short = {
      namespace: {type: 'string', short: 'n', value: 'NS', default: 'default', doc: ''},
      follow: {type: 'boolean', short: 'f', doc: ''},
    } as const;
    for (const words of [['-n', 'team'], ['-n=team'], ['-nteam'], ['--namespace', 'team']])
      expect(parseOptions([...words, '-f'], short).options).toEqual({namespace: 'team', follow: true});
    expect(faultsOf(() => parseOptions(['-x', '-fy', '-n'], short))).toEqual([
      'unknown flag "-x"',
      'unknown flag "-y"',
      '--namespace needs a value (NS)',
    ]);
    expect(faultsOf(() => parseOptions(['-n'], table))).toEqual(['unknown flag "-n"']);
    expect(describeOptions(short)[0]).toMatch(/^ {2}-n, --namespace NS /);
  });

  describe('= after a letter', () => {
    const letters = {
      stack: {type: 'string', short: 's', doc: ''},
      message: {type: 'string', short: 'm', doc: ''},
      yes: {type: 'boolean', short: 'y', doc: ''},
      force: {type: 'boolean', short: 'f', doc: ''},
      target: {type: 'list', short: 't', doc: ''},
    } as const;

    test.each<[string[], object]>([
      [['-s=dev'], {stack: 'dev'}],
      [['-s==dev'], {stack: '=dev'}],
      [['-s', '=dev'], {stack: '=dev'}],
      [['-sa=b'], {stack: 'a=b'}],
      [['--stack==dev'], {stack: '=dev'}],
      [['-fs=dev'], {force: true, stack: 'dev'}],
      [['-m', '-s=x'], {message: '-s=x', stack: undefined}],
      [['--message', '-y=5 nodes'], {message: '-y=5 nodes', yes: false}],
      [['-y=false', '-f=true'], {yes: false, force: true}],
      [['-fy=false'], {yes: false, force: true}],
      [['-t=a', '-t=-s=b'], {target: ['a', '-s=b']}],
    ])('%j', (words, options) => {
      expect(parseOptions(words, letters).options).toMatchObject(options);
    });

    test('words after -- stay as they are', () => {
      const {options, positionals} = parseOptions(['k', '--', '-s=prod', '-y=false'], letters, {max: 3});
      expect(positionals).toEqual(['k', '-s=prod', '-y=false']);
      expect(options).toMatchObject({stack: undefined, yes: false});
    });

    test('faults name the word of the user', () => {
      expect(faultsOf(() => parseOptions(['-y=maybe', '-x=1', '-=', '--page', '-s='], letters))).toEqual([
        '--yes=maybe: must be true or false',
        'unknown flag "-x"',
        'unknown flag "-="',
        'unknown flag "--page"',
        '--stack is empty: give a value (VALUE), or leave the flag out where it is not needed',
      ]);
    });
  });

  test('help shows closed sets and defaults', () => {
    expect(describeOptions(table).join('\n')).toMatch(/--compat VALUE.*spec \| kubernetes/);
  });
});

describe('serve configuration', () => {
  const configOf = (...words: string[]) => {
    const {options, faults} = readOptions(words, serveOptions);
    return toServeConfig(options, {HOME: '/home/u'}, '/cwd', faults);
  };

  test('I-114 nobody is let in without a credential: serve without flags asks for one, over HTTPS alone', () => {
    expect(configOf()).toMatchObject({auth: 'tokens', http: undefined, https: {host: '127.0.0.1', port: 6443}});
  });

  test('--auth none is refused off loopback, plain HTTP and gRPC too, all faults in one answer', () => {
    const faults = faultsOf(() =>
      configOf(
        '--auth',
        'none',
        '--http',
        '0.0.0.0:80',
        '--https',
        '10.0.0.1:443',
        '--grpc',
        '0.0.0.0:1',
        '--endpoint-pool',
        '10.0.0.0',
        '--locations',
        'A',
      ),
    );
    expect(faults).toHaveLength(5);
  });

  test('flags that cannot be read and flags that do not fit are named in one answer', () => {
    const words = ['--auth', 'none', '--compat', 'foo', '--datta', 'x', '--endpoint-pool', '10.0.0.0/33'];
    expect(faultsOf(() => configOf(...words))).toEqual([
      '--compat foo: must be one of spec, kubernetes',
      'unknown flag "--datta": did you mean "--data"?',
      '--endpoint-pool 10.0.0.0/33: must be an IPv4 range such as 127.77.0.0/16, from /8 to /30',
    ]);
  });

  test.each([
    [['--auth', 'nnoe'], '--auth nnoe: must be none; for client certificates and tokens, omit --auth'],
    [['--auht', 'none'], 'unknown flag "--auht": did you mean "--auth"?'],
    [['--token-auth-file'], '--token-auth-file needs a value (FILE)'],
    [
      ['--auth', 'none', '--data', ''],
      '--data is empty: give a value (DIR), or leave the flag out where it is not needed',
    ],
    [
      ['--auth', 'none', '--locations='],
      '--locations is empty: give a value (A,B), or leave the flag out where it is not needed',
    ],
    [['--auth', 'none', '--tls-key', 'k', '--tls-crt', 'x'], 'unknown flag "--tls-crt": did you mean "--tls-cert"?'],
  ])('%j: a flag that cannot be read does not count as left out', (words, fault) => {
    expect(faultsOf(() => configOf(...words))).toEqual([fault]);
  });

  test.each(['-1', '1.5', 'many'])('--quota-endpoints %s is no number of endpoints', value => {
    expect(faultsOf(() => configOf('--auth', 'none', '--quota-endpoints', value))).toEqual([
      `--quota-endpoints ${value}: must be a whole number, 0 or more; omit it for no quota`,
    ]);
  });

  test('addresses that are none are named with the flag and the form', () => {
    expect(faultsOf(() => configOf('--auth', 'none', '--http', 'nonsense', '--https', '127.0.0.1:70000'))).toEqual([
      '--http "nonsense" is not HOST:PORT (for example 127.0.0.1:8080 or [::1]:8080)',
      '--https "127.0.0.1:70000" is not HOST:PORT (for example 127.0.0.1:8080 or [::1]:8080)',
    ]);
  });

  test('every location has a sensor, or those that --sensors-at names; an unknown one is refused by name', () => {
    const all = configOf('--auth', 'none', '--locations', 'zone-a');
    expect(all.sensorsAt).toEqual(all.locations);
    const some = configOf('--auth', 'none', '--locations', 'zone-a,zone-b', '--sensors-at', 'zone-a,local', 'zone-a');
    expect(some.sensorsAt).toEqual(['zone-a', 'local']);
    expect(faultsOf(() => configOf('--auth', 'none', '--sensors-at', 'zone-a,local', 'zone-c'))).toEqual([
      '--sensors-at zone-a: no such location; this server has local, us-central1-a',
      '--sensors-at zone-c: no such location; this server has local, us-central1-a',
    ]);
    expect(faultsOf(() => configOf('--auth', 'none', '--sensors-at', ','))).toEqual([
      '--sensors-at: no location given',
    ]);
  });

  test('built-in locations stay when more are given, without duplicates', () => {
    expect(configOf('--auth', 'none', '--locations', 'zone-a,local').locations).toEqual([
      'local',
      'us-central1-a',
      'zone-a',
    ]);
  });

  test('the data folder is absolute and has a default below the state folder', () => {
    expect(configOf('--auth', 'none').dataDir).toBe('/home/u/.local/state/palisade');
    expect(configOf('--auth', 'none', '--data', 'd').dataDir).toBe('/cwd/d');
  });
});
