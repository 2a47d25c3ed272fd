// SPDX-License-Identifier: Apache-2.0
/** Flag, environment, file, default: which value counts, where it is from, and every fault at once. */
import {defaultValues} from '@palisade/server/default-values';
import {expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {readOptions} from '../command-line/options.ts';
import {serveOptions} from '../serve/serve-options.ts';
import {configAsJson, configAsYaml} from './print-config.ts';
import {parseConfiguration} from './read-file.ts';
import {type Settled, settle} from './settle.ts';

const read = (text: string, words: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Settled =>
  settle(readOptions(words, serveOptions, {env}), parseConfiguration(text, 'p.yaml', '/etc/palisade'), {
    env: {HOME: '/home/u', ...env},
    cwd: '/cwd',
  });
const faultsOf = (text: string, words: readonly string[] = []): readonly string[] => {
  try {
    read(text, words);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
};
const OPEN = 'auth: none\n';
const origins = ({origins: all}: Settled, ...paths: readonly string[]) => paths.map(path => all.get(path));

test('43-5 a flag counts before the file, the file before the default, and each says where it is from', () => {
  const settled = read(`${OPEN}driver: relay\nlogLevel: debug\nrulesStrict: true\n`, [
    '--driver=auto',
    '--rules-strict=false',
  ]);
  expect(settled.config).toMatchObject({
    logLevel: 'debug',
    compat: 'spec',
    sensors: {driver: 'auto', rulesStrict: false},
  });
  expect(origins(settled, 'driver', 'rulesStrict', 'logLevel', 'compat')).toEqual([
    'flag --driver',
    'flag --rules-strict',
    'p.yaml:3',
    'default',
  ]);
});

test('43-5 numbers, switches, lists and mappings are what their flags would be', () => {
  const text = `${OPEN}quotaEndpoints: 3
rulesMinLoaded: 99.5
sensorCpuMax: 1.5
sensorMemoryMax: 2GiB
acceptAnyVni: true
homeNet: [203.0.113.0/24, "!203.0.113.9"]
disableSid: [2019401, "1:5"]
vars: {HTTP_PORTS: 8080, A: "any"}
`;
  const words = '--auth none --quota-endpoints 3 --rules-min-loaded 99.5 --sensor-cpu-max 1.5 --sensor-memory-max 2GiB';
  const flags = `${words} --accept-any-vni --home-net 203.0.113.0/24,!203.0.113.9 --disable-sid 2019401 1:5`;
  expect(read(text).config).toEqual(read('', [...flags.split(' '), '--var', 'HTTP_PORTS=8080', 'A=any']).config);
});

test('43-5 a relative path of the file starts at its folder, one of a flag at the working folder, and a URL stays', () => {
  const text = `${OPEN}data: d\nrules: [r/a.rules, "https://h/x.rules"]\n`;
  const settled = read(text, ['--threshold-file', 't.config']);
  expect(settled.config).toMatchObject({
    dataDir: '/etc/palisade/d',
    sensors: {rules: ['/etc/palisade/r/a.rules', 'https://h/x.rules'], thresholdFiles: ['/cwd/t.config']},
  });
  expect(settled.values.get('thresholdFile')).toEqual(['/cwd/t.config']);
});

test('43-5 variables are settled name by name', () => {
  const settled = read(`${OPEN}vars:\n  A: 1\n  B: 2\n`, ['--var', 'B=3', '--var', 'C=4']);
  expect(settled.config.sensors.vars).toEqual({A: '1', B: '3', C: '4'});
  expect(origins(settled, 'vars.A', 'vars.B', 'vars.C')).toEqual(['p.yaml:3', 'flag --var', 'flag --var']);
});

const SETS = `${OPEN}ruleSets:
  - name: default
    sources: [{at: a.rules, disable: [7]}]
  - name: strict
    sources: [{at: b.rules}]
    thresholdFiles: [t.config]
ruleBindings: [{set: strict, location: local}]
endpoints: [{match: projects/-/locations/-/endpoints/web, vars: {A: "1"}}]
limits: {packetQueue: 1MiB, lossPercent: 2}
threatsAge: 2h
`;
test('43-5 what no flag says reaches the sensors and the records', () => {
  const {config, origins: all} = read(SETS, ['--disable-sid', '9']);
  const plain = {enable: [], modify: []};
  expect(config).toMatchObject({
    records: {budgets: {threats: {ageMs: 7_200_000}}},
    sensors: {
      defaultSet: {sources: [{...plain, at: '/etc/palisade/a.rules', disable: ['7']}], thresholds: []},
      ruleSets: [
        {
          name: 'strict',
          sources: [{...plain, at: '/etc/palisade/b.rules', disable: []}],
          thresholds: ['/etc/palisade/t.config'],
        },
      ],
      ruleBindings: [{set: 'strict', location: 'local'}],
      endpointVars: [{match: 'projects/-/locations/-/endpoints/web', vars: {A: '1'}}],
      disableSids: ['9'],
      limits: {queueBytesMax: 1_048_576, lossRatioMax: 0.02},
    },
  });
  expect([all.get('limits.packetQueue'), all.get('limits.diskFloor')]).toEqual(['p.yaml:10', 'default']);
});

test('43-5 --rules replaces the default set of the file; rules of the file beside it are a fault', () => {
  const {config} = read(SETS, ['--rules', 'c.rules']);
  expect(config.sensors).toMatchObject({rules: ['/cwd/c.rules'], defaultSet: undefined, ruleSets: [{name: 'strict'}]});
  expect(faultsOf(`${SETS}rules: [c.rules]\n`)).toEqual([
    'p.yaml:12:8: rules: the set default of ruleSets has sources, too: give one of them',
  ]);
});

test('43-5 PALISADE_CONFIG names the file, unless --config does; XDG_STATE_HOME is no setting that beats the file', () => {
  const env = {PALISADE_CONFIG: 'e.yaml', XDG_STATE_HOME: '/state'};
  const {options, given} = readOptions([], serveOptions, {env});
  expect([options.config, given.get('config')]).toEqual(['e.yaml', 'environment']);
  expect(readOptions(['--config', 'f.yaml'], serveOptions, {env}).options.config).toBe('f.yaml');
  expect(read(`${OPEN}data: d\n`, [], env).config.dataDir).toBe('/etc/palisade/d');
  const settled = read(OPEN, [], env);
  expect(JSON.parse(configAsJson(settled, defaultValues(settled.config, env)))).toMatchObject({
    data: {value: '/state/palisade', origin: 'environment XDG_STATE_HOME'},
  });
});

test('43-5 all faults are reported at once: of the flags, of the file with line and column, and of both together', () => {
  const text = `auth: nonee
drivr: relay
locations: europe
homeNet: [10.0.0.0/33, !10.0.0.1]
data:
driver: relay
driver: auto
quotaEndpoints: "3"
rulesMinLoaded: 101
vars: {a-b: 1, X: [1]}
limits: {packetQue: 3, packetQueue: x, lossPercent: -1}
ruleSets:
  - {name: x, sources: [{sha256: 12}]}
ruleBindings: [{set: x, location: mars, endpoint: x}]
store: etcd=x
foo: 1
`;
  expect(faultsOf(text, ['--tls-crt', 'x', '--endpoint-pool', 'x'])).toEqual([
    'unknown flag "--tls-crt": did you mean "--tls-cert"?',
    'p.yaml:7:1: Map keys must be unique: keep one of them',
    'p.yaml:4:24: Unresolved tag: !10.0.0.1: write a text that begins with ! in quotes',
    'p.yaml:1:7: auth nonee: must be none; for client certificates and tokens, omit --auth',
    'p.yaml:2:1: drivr: unknown key; did you mean "driver"?',
    'p.yaml:3:12: locations europe: must be a list: [europe]',
    'p.yaml:5:6: data: is empty; give a value, or remove the key',
    'p.yaml:8:17: quotaEndpoints "3": must be a number',
    'p.yaml:10:19: vars.X (a list): must be a text, such as "[10.0.0.53,10.0.1.53]"',
    'p.yaml:11:10: limits.packetQue: unknown key; did you mean "packetQueue"?',
    'p.yaml:11:37: limits.packetQueue x: must be a size such as 64MiB',
    'p.yaml:11:53: limits.lossPercent -1: must be a percentage of 0 or more, such as 1',
    'p.yaml:13:34: ruleSets[0].sources[0].sha256 12: must be 64 hex digits in quotes, as sha256sum prints them',
    'p.yaml:13:25: ruleSets[0].sources[0]: has no at; add it',
    'p.yaml:15:1: store: not in this version; leave it out to use the embedded store in --data',
    'p.yaml:16:1: foo: unknown key; palisade serve --print-config prints all keys',
    '--endpoint-pool x: must be an IPv4 range such as 127.77.0.0/16, from /8 to /30',
    'p.yaml:9:17: rulesMinLoaded 101: must be a percentage from 0 to 100, such as 90',
    'p.yaml:4:10: homeNet 10.0.0.0/33: must be a network such as 10.0.0.0/8 or fd00::/8, or an address, with ! in front to exclude it',
    'p.yaml:10:13: vars a-b=1: must be NAME=VALUE, such as DNS_SERVERS=10.0.0.53',
    'p.yaml:14:16: ruleBindings[0]: give location or endpoint, and not both',
    'p.yaml:14:35: ruleBindings[0].location mars: no such location; this server has local, us-central1-a',
    'p.yaml:14:51: ruleBindings[0].endpoint x: must be projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT; "-" and "*" are wildcards',
  ]);
});

test('44-1 limits of records that are gone are faults that name what is said instead', () => {
  expect(faultsOf('limits: {recordsPerEndpoint: 5, records: 9, recordAge: 30d}\n')).toEqual([
    expect.stringMatching(/^p\.yaml:1:10: limits\.recordsPerEndpoint: .*\bthreatsBytes and trafficBytes\b/),
    expect.stringMatching(/^p\.yaml:1:33: limits\.records: .*\bthreatsBytes and trafficBytes\b/),
    expect.stringMatching(/^p\.yaml:1:45: limits\.recordAge: .*\bthreatsAge and trafficAge\b/),
  ]);
});

test('43-5 a binding of an unknown set is a fault, with the sets that there are', () => {
  expect(faultsOf(SETS.replace('{set: strict', '{set: strct'))).toEqual([
    'p.yaml:8:22: ruleBindings[0].set strct: no rule set has this name; use one of default, strict',
  ]);
});

test('43-5 a fault of two settings names flag and key as each was given', () => {
  expect(faultsOf('auth: none\nhttp: 127.0.0.1:9\n', ['--https', '127.0.0.1:9', '--tls-cert', 'x'])).toEqual([
    '--tls-cert and --tls-key must be used together',
    'p.yaml:2:7: --https 127.0.0.1:9 and http 127.0.0.1:9 need the same port: use different ports (0 takes a free port)',
  ]);
});

test.each([
  ['a: [', /^p\.yaml:1:\d+: /],
  ['- a\n', /^p\.yaml:1:1: must be a mapping/],
  ['auth: none\n---\nauth: none\n', /^p\.yaml:2:1: a second document begins here/],
])('43-5 %j is no configuration', (text, fault) => {
  expect(faultsOf(text)[0]).toMatch(fault);
});

test('43-5 an empty file says nothing', () => {
  expect(read('# nothing\n', ['--auth', 'none']).config).toEqual(read('', ['--auth', 'none']).config);
});

test('43-5 --print-config is a file with the same values, each with its origin', () => {
  const text = `${SETS}homeNet: [10.0.0.0/8, "!10.9.0.0/16"]\nvars: {A: "[1,2]"}\n`;
  const settled = read(text, ['--driver', 'relay', '--var', 'B=3']);
  const printed = configAsYaml(settled, defaultValues(settled.config, {}));
  expect(printed).toContain('driver: relay  # flag --driver\n');
  expect(printed).toContain('homeNet: [10.0.0.0/8, "!10.9.0.0/16"]  # p.yaml:12\n');
  expect(printed).toContain('vars:\n  A: "[1,2]"  # p.yaml:13\n  B: "3"  # flag --var\n');
  expect(printed).toContain('# tokenAuthFile:  # not set, default\n');
  expect(printed).toContain('threatsAge: 2h  # p.yaml:11\n');
  expect(printed).toContain('http: 127.0.0.1:8080  # default\n');
  const again = read(printed);
  const {homeNet, rulesMinLoaded, user, limits} = again.config.sensors;
  expect({...again.config, sensors: {...again.config.sensors, limits: {}}}).toEqual({
    ...settled.config,
    sensors: {...settled.config.sensors, homeNet, rulesMinLoaded, user, limits: {}},
  });
  expect([rulesMinLoaded, user, limits.queueBytesMax, again.config.records.budgets.threats.ageMs]).toEqual([
    90,
    'nobody',
    1_048_576,
    7_200_000,
  ]);
});

test('43-5 credentials in the URL of a rule source are not printed', () => {
  const text = `${OPEN}ruleSets: [{name: default, sources: [{at: "https://u:secret@h/x.rules"}]}]\n`;
  const settled = read(text);
  expect(settled.config.sensors.defaultSet?.sources[0]?.at).toBe('https://u:secret@h/x.rules');
  for (const printed of [configAsYaml(settled, {}), configAsJson(settled, {})]) {
    expect(printed).toContain('https://***@h/x.rules');
    expect(printed).not.toContain('secret');
  }
});

test('43-5 --print-config shows a configuration without a port, and says what it lacks; other faults remain', () => {
  const missing: string[] = [];
  const settleFor = (text: string): Settled =>
    settle(
      readOptions([], serveOptions),
      parseConfiguration(text, 'p.yaml', '/etc'),
      {env: {HOME: '/home/u'}, cwd: '/'},
      fault => missing.push(fault),
    );
  const printed = configAsYaml(settleFor('driver: relay\nhttps: off\n'), {});
  expect(printed).toContain('driver: relay  # p.yaml:1\n');
  expect(missing).toEqual([
    'no address to listen on: use --https HOST:PORT, or --http HOST:PORT for this machine only',
  ]);
  expect(() => settleFor('endpointPool: x\n')).toThrow(UsageError);
});

test('43-5 an address that is a number: its value and the form of an address', () => {
  expect(faultsOf(`${OPEN}http: 99999\n`)).toEqual([
    'p.yaml:2:7: http 99999: must be HOST:PORT or off, such as "127.0.0.1:8080"',
  ]);
});

test('44-5 a word where an exporter or a source needs a list is a fault beside the others', () => {
  const text = `${OPEN}exporters:
  - {url: "syslog+udp://127.0.0.1:5514", kinds: threats, endpoints: p}
ruleSets: [{name: default, sources: [{at: a.rules, enable: 7}]}]
driver: realy
`;
  expect(faultsOf(text)).toEqual([
    'p.yaml:3:49: exporters[0].kinds threats: must be a list: [threats]',
    'p.yaml:3:69: exporters[0].endpoints p: must be a list: [p]',
    'p.yaml:4:60: ruleSets[0].sources[0].enable 7: must be a list: [7]',
    expect.stringMatching(/^p\.yaml:5:9: driver realy: must be one of/),
  ]);
});

test('44-5 faults of exporters have their places, and what is secret of them is not printed', () => {
  const text = `${OPEN}exporters:
  - url: "syslog+tcp://logs.example:514"
    kinds: [threats, alerts]
    secretFile: key
  - url: "https://u:p@h.example/x"
    fromat: ecs
`;
  expect(faultsOf(text, ['--export', 'syslog+udp://h?kinds=threats,all'])).toEqual([
    'p.yaml:4:22: exporters[0].kinds[1] alerts: must be threats or traffic',
    'p.yaml:7:5: exporters[1].fromat: unknown key; did you mean "format"?',
    '--export syslog+udp://h: kinds all: must be threats or traffic',
    'p.yaml:5:17: exporters[0].secretFile /etc/palisade/key: syslog+tcp uses no such file; remove it',
    'p.yaml:6:10: exporters[1].url https://h.example/…: must have no user or password; put "Authorization: …" into a headersFile',
  ]);
  const settled = read(`${OPEN}exporters: [{url: "https://h.example/x", headers: {Authorization: SECRET}}]\n`, [
    '--export',
    'syslog+udp://h?kinds=threats,traffic',
  ]);
  const printed = configAsYaml(settled, defaultValues(settled.config, {}));
  expect(printed).toMatch(
    /^exporters: {2}# p\.yaml:2; \*\*\* is hidden: put the value back before you use this file$/m,
  );
  expect(printed).toMatch(/^export: \["?syslog\+udp:\/\/h\?kinds=threats,traffic"?\] {2}# flag --export$/m);
  expect(printed).toContain('Authorization: "***"');
  expect(printed).not.toContain('SECRET');
});

test('44-5 path and parameters of webhook and OTLP receivers are not printed; settings among them are', () => {
  const text = `${OPEN}exporters:
  - url: "https://h.example/services/SECRET?token=SECRET&format=SECRET"
    kinds: [traffic]
  - url: "otlp+https://h.example/SECRET?compression=none&SECRET"
    name: two
  - url: "eve:/var/log/eve.json?keep=3"
`;
  const flag = 'http://f.example/SECRET?format=ecs&token=SECRET&kinds=threats,traffic';
  const settled = read(text, ['--export', flag, '--export', 'http://g.example/?updates=true']);
  const note = '; *** is hidden: put the value back before you use this file';
  const printed = configAsYaml(settled, defaultValues(settled.config, {}));
  const lines = printed.split('\n');
  expect(lines.filter(line => line.includes('://') || line.includes('eve:'))).toEqual([
    'serviceAccountIssuer: https://kubernetes.default.svc  # default',
    `export: ["http://f.example/***?format=ecs&***&kinds=threats,traffic", http://g.example/?updates=true]  # flag --export${note}`,
    '  - url: https://h.example/***?***&***',
    '  - url: otlp+https://h.example/***?compression=none&***',
    '  - url: eve:/var/log/eve.json?keep=3',
  ]);
  expect(lines).toContain(`exporters:  # p.yaml:2${note}`);
  for (const shown of [printed, configAsJson(settled, {})]) expect(shown).not.toContain('SECRET');
  expect(configAsYaml(read(`${OPEN}exporters: [{url: "http://h.example/"}]\n`), {})).not.toContain('hidden');
});
