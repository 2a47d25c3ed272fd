// SPDX-License-Identifier: Apache-2.0
/** --export and `exporters`: what they mean, and every fault with field, value and way out. */
import {expect, test} from 'vitest';
import {type ExportEntry, exportConfigOf} from './export-config.ts';

const entry = (given: Partial<ExportEntry> & {readonly url: string}): ExportEntry => ({
  kinds: [],
  endpoints: [],
  ...given,
});
const ofFlags = (...flags: readonly string[]) => exportConfigOf(flags, [], '/cwd');
const settingsOf = (...flags: readonly string[]) => ofFlags(...flags).exports.map(({settings}) => settings);
const faultsOf = (...flags: readonly string[]) => ofFlags(...flags).faults;

test('44-5 the URL of a flag is enough: settings and options are its parameters', () => {
  const url =
    'syslog+tls://logs.example:6514?format=ecs&kinds=traffic,threats&filter=source_port%3D%224%22' +
    '&endpoints=projects/-/locations/-/endpoints/web*&updates=true&from=start&caFile=ca.pem&facility=local4&name=siem';
  expect(ofFlags(url)).toEqual({
    faults: [],
    exports: [
      {
        said: '--export syslog+tls://logs.example:6514',
        settings: {
          name: 'siem',
          url: 'syslog+tls://logs.example:6514',
          receiver: 'syslog+tls://logs.example:6514',
          scheme: 'syslog+tls',
          format: 'ecs',
          kinds: ['threats', 'traffic'],
          filter: 'source_port="4"',
          endpoints: ['projects/-/locations/-/endpoints/web*'],
          updates: true,
          from: 'start',
          caFile: '/cwd/ca.pem',
          headers: {},
          options: {facility: 'local4'},
        },
      },
    ],
  });
});

test('44-5 without parameters threats go from now on, in our shape, under the name of the receiver', () => {
  expect(settingsOf('syslog+udp://10.0.0.5')).toMatchObject([
    {
      name: 'syslog+udp://10.0.0.5',
      format: 'palisade',
      kinds: ['threats'],
      filter: '',
      endpoints: [],
      updates: false,
      from: 'now',
    },
  ]);
});

test('44-5 other parameters of a webhook belong to its URL, and neither they nor its path are shown', () => {
  const [settings] = settingsOf('https://hooks.example/services/T0/SECRET?token=SECRET&format=ecs');
  expect(settings).toMatchObject({
    url: 'https://hooks.example/services/T0/SECRET?token=SECRET',
    name: 'https://hooks.example',
    receiver: 'https://hooks.example/…',
    format: 'ecs',
  });
});

test('44-5 a parameter that looks like a setting is none of the receiver, unless the file says so', () => {
  const {faults} = exportConfigOf(
    ['http://127.0.0.1:8090/?kind=threats&secretfile=k', 'otlp+http://h:4318?kind=x'],
    [],
    '/',
  );
  const wayOut = 'To send it to the receiver, name the exporter in the configuration file';
  expect(faults).toEqual([
    `--export http://127.0.0.1:8090: kind: did you mean "kinds"? ${wayOut}`,
    `--export http://127.0.0.1:8090: secretfile: did you mean "secretFile"? ${wayOut}`,
    `--export otlp+http://h:4318: kind: did you mean "kinds"? ${wayOut}`,
  ]);
  expect(exportConfigOf([], [entry({url: 'https://h.example/?kind=threats'})], '/').faults).toEqual([]);
});

test('44-5 in the file settings are keys, and the URL of a webhook is left as it is', () => {
  const {exports, faults} = exportConfigOf(
    [],
    [
      entry({url: 'https://h.example/?format=theirs', format: 'ecs', headers: {'X-Tenant': '7'}}),
      entry({url: 'syslog+tcp://h.example?confirm=write', name: 'b'}),
    ],
    '/cwd',
  );
  expect(faults).toEqual([]);
  expect(exports).toMatchObject([
    {
      said: 'exporters[0]',
      settings: {url: 'https://h.example/?format=theirs', format: 'ecs', headers: {'X-Tenant': '7'}},
    },
    {said: 'exporters[1]', settings: {name: 'b', options: {confirm: 'write'}}},
  ]);
});

test('44-5 every fault of all exporters is named at once, without secrets', () => {
  const secret = 'SECRET';
  const faults = faultsOf(
    `https://${secret}:${secret}@h.example/${secret}?kinds=threats,all&updates=maybe&from=then&certFile=c.pem`,
    'syslog+udp://h.example:514?fromat=ecs&maxBytes=9&facility=mail&caFile=ca.pem&confirm=close',
    `ftp://${secret}@x/${secret}`,
    secret,
    'syslog+tcp://h.example/x?endpoints=web&filter=nope%3D1&name=%20',
    'syslog+tcp://a:1',
    'syslog+tcp://a:1',
  );
  expect(faults.join('\n')).not.toContain(secret);
  expect(faults).toEqual([
    '--export https://h.example: must have no user or password; put "Authorization: …" into a headersFile',
    '--export https://h.example: kinds all: must be threats or traffic',
    '--export https://h.example: certFile: certFile and keyFile must be used together',
    '--export https://h.example: updates maybe: must be true or false',
    '--export https://h.example: from then: must be one of now, start',
    '--export syslog+udp://h.example:514: fromat: unknown parameter; did you mean "format"?',
    expect.stringContaining(
      '--export syslog+udp://h.example:514: confirm: unknown parameter; known are facility, enterprise',
    ),
    '--export syslog+udp://h.example:514: maxBytes 9: must be a number of bytes from 480 to 65507',
    expect.stringContaining('--export syslog+udp://h.example:514: facility mail: must be one of user, daemon'),
    '--export syslog+udp://h.example:514: caFile /cwd/ca.pem: syslog+udp uses no such file; remove it',
    expect.stringContaining('--export ftp://x: must be one of syslog+udp://HOST:PORT, '),
    expect.stringContaining('--export: must be one of syslog+udp://HOST:PORT, '),
    '--export syslog+tcp://h.example: must have no path; write syslog+tcp://HOST:PORT',
    '--export syslog+tcp://h.example: name  : must be letters, digits and . _ : / + -, at most 200',
    expect.stringContaining('--export syslog+tcp://h.example: filter nope=1: is no filter for threats: '),
    '--export syslog+tcp://h.example: endpoints web: must be projects/PROJECT/locations/LOCATION/endpoints/ENDPOINT; "-" and "*" are wildcards',
    '--export syslog+tcp://a:1: another exporter has the name syslog+tcp://a:1; give one of them a name of its own',
  ]);
});

test('44-5 a filter holds for each kind, and headers are names and lines', () => {
  const {faults} = exportConfigOf(
    [],
    [
      entry({
        url: 'syslog+tcp://a:1',
        kinds: ['threats', 'traffic'],
        filter: 'alert_severity="HIGH"',
        headers: {a: 'b'},
      }),
      entry({url: 'http://b', headers: {'a b': 'c', d: 'e\r\nf', e: 'Ł', f: 'é'}}),
    ],
    '/cwd',
  );
  expect(faults).toEqual([
    expect.stringMatching(/^exporters\[0\]\.filter .* is no filter for traffic: .*use an exporter for each$/),
    'exporters[0].headers: syslog+tcp has no headers; remove them',
    'exporters[1].headers a b: must be names of HTTP headers',
    'exporters[1].headers.d: must be one line, without control characters and those beyond Latin-1',
    'exporters[1].headers.e: must be one line, without control characters and those beyond Latin-1',
  ]);
});

test('44-5 a port of 0, and two exporters on one file, are faults that name both', () => {
  expect(
    faultsOf('syslog+udp://h:0', 'eve:/var/log/a.json', 'eve:/var/log/a.json?name=b', 'eve:/var/log/%61.json?name=c'),
  ).toEqual([
    '--export syslog+udp://h:0: must have a port from 1 to 65535',
    '--export eve:/var/log/a.json: /var/log/a.json is the file of --export eve:/var/log/a.json too; give each a file of its own',
    '--export eve:/var/log/%61.json: /var/log/a.json is the file of --export eve:/var/log/a.json too; give each a file of its own',
  ]);
});

test('44-5 a path that cannot be a name is named by the fault', () => {
  expect(faultsOf('eve:/var/log/my eve.json')).toEqual([
    '--export eve:/var/log/my%20eve.json: cannot be its name, which must be letters, digits and . _ : / + -, at most 200; give it a name',
  ]);
  expect(exportConfigOf([], [entry({url: 'eve:/var/log/my eve.json'})], '/cwd').faults).toEqual([
    'exporters[0].url eve:/var/log/my%20eve.json: cannot be its name, which must be letters, digits and . _ : / + -, at most 200; give it a name',
  ]);
  expect(faultsOf('eve:/var/log/my eve.json?name=eve')).toEqual([]);
});

test('44-5 the mode of a file is octal, readable for its owner, and not executable', () => {
  for (const mode of ['0600', '0640', '664']) expect(faultsOf(`eve:/var/log/a.json?mode=${mode}`)).toEqual([]);
  for (const mode of ['0777', '0400', '0641', 'rw'])
    expect(faultsOf(`eve:/var/log/a.json?mode=${mode}`)).toEqual([
      `--export eve:/var/log/a.json: mode ${mode.trim()}: must be an octal mode from 0600 to 0666, such as 0640`,
    ]);
});
