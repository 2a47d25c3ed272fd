// SPDX-License-Identifier: Apache-2.0
/** What `pack` and `expand` read: objects, lists of them, several documents; and how faults are told. */
import {PassThrough, Readable} from 'node:stream';
import {text} from 'node:stream/consumers';
import {describe, expect, test} from 'vitest';
import type {Command} from '../command-line/command.ts';
import {CommandError} from '../command-line/io.ts';
import {expand} from '../commands/expand.ts';
import {pack} from '../commands/pack.ts';

const runOn = async (command: Command, input: string | Buffer, ...words: string[]): Promise<string> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  await command.run(['--file', '-', ...words], {stdin: Readable.from([input]), stdout, stderr, env: {}, cwd: '/'});
  stdout.end();
  return text(stdout);
};
const faultsOf = async (input: string | Buffer): Promise<string[]> => {
  const error: unknown = await runOn(pack, input).catch((cause: unknown) => cause);
  if (error instanceof CommandError) return error.message.split('\n');
  throw error;
};
const subset = (ip: string, port: number) => ({addresses: [{ip}], ports: [{port}]});
const named = (name: string, ...ips: string[]) => ({
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: {name, namespace: 'shop', uid: 'u'},
  subsets: ips.map(ip => subset(ip, 80)),
});
const LIST = {
  apiVersion: 'v1',
  kind: 'List',
  metadata: {resourceVersion: ''},
  items: [named('a', '10.0.0.2', '10.0.0.1'), named('b', '10.0.0.3'), {kind: 'Endpoints', metadata: {name: 'empty'}}],
};

describe('lists and several documents', () => {
  test.each(['List', 'EndpointsList'])('E-005 pack of a %s packs each object and stays a list', async kind => {
    const packed = JSON.parse(await runOn(pack, JSON.stringify({...LIST, kind}), '--json')) as typeof LIST;
    expect(packed).toMatchObject({apiVersion: 'v1', kind, metadata: {resourceVersion: ''}});
    expect(packed.items.map(item => item.metadata)).toEqual([
      {name: 'a', namespace: 'shop'},
      {name: 'b', namespace: 'shop'},
      {name: 'empty'},
    ]);
    expect(packed.items[0]).toHaveProperty('subsets', [
      {addresses: [{ip: '10.0.0.1'}, {ip: '10.0.0.2'}], ports: [{port: 80}]},
    ]);
  });

  test('several YAML documents stay several; what --json prints of them is read again', async () => {
    const yaml = '---\nsubsets: [{addresses: [{ip: 10.0.0.1}]}]\n---\nsubsets: [{addresses: [{ip: 10.0.0.2}]}]\n---\n';
    const packed = await runOn(pack, yaml);
    expect(packed.split('---\n')).toHaveLength(2);
    const lines = await runOn(pack, packed, '--json');
    expect(lines.trim().split('\n')).toHaveLength(2);
    expect(await runOn(pack, lines, '--json')).toBe(lines);
  });

  test('objects of other kinds among them are passed over with a note; a file of nothing else is refused', async () => {
    const service = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'db'}};
    const both = [service, named('db', '10.0.0.7')].map(object => JSON.stringify(object)).join('\n---\n');
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const io = {stdin: Readable.from([both]), stdout, stderr, env: {}, cwd: '/'};
    expect(await expand.run(['--file', '-', '--json'], io)).toBe(0);
    for (const stream of [stdout, stderr]) stream.end();
    expect(await text(stdout)).toContain('10.0.0.7');
    expect(await text(stderr)).toBe('palisade: stdin: document 1: skipped, because it is of kind "Service"\n');
    expect(await faultsOf(JSON.stringify(service))).toEqual([
      'stdin: is of kind "Service"; give Endpoints, or a List of them',
    ]);
    expect(await faultsOf(both.replace('10.0.0.7', 'x'))).toEqual([expect.stringContaining('stdin: document 2: ')]);
    for (const slip of ['Endpoint', 'endpoints', ''])
      expect(await faultsOf(both.replace('Service', slip))).toEqual([
        `stdin: document 1: is of kind "${slip}"; give Endpoints, or a List of them`,
      ]);
  });

  test('YAML means what it means to kubectl: octal and binary numbers, words, merges, texts in quotes or with a tag', async () => {
    const yaml = [
      'metadata:',
      '  name: "on"',
      '  annotations: &base {day: 2026-11-25, time: 10:20:30, octal: !!str 012, on: "off"}',
      '  labels: {<<: *base, word: "yes", time: later}',
      'subsets:',
      '- addresses: [{ip: 10.0.0.1}]',
      '  ports: [{port: 012}, {port: 0x1F90}, {port: 1_000}, {port: !!int 0b111}]',
      '  notReadyAddresses: ~',
    ];
    const packed = JSON.parse(await runOn(pack, yaml.join('\n'), '--json'));
    const annotations = {day: '2026-11-25', time: '10:20:30', octal: '012', true: 'off'};
    expect(packed.metadata).toEqual({name: 'on', annotations, labels: {...annotations, word: 'yes', time: 'later'}});
    const numbers: number[] = packed.subsets[0].ports.map(({port}: {port: number}) => port);
    expect(numbers.sort((a, b) => a - b)).toEqual([7, 10, 1_000, 8_080]);
    expect(await faultsOf('subsets: [{addresses: [{ip: 10.0.0.1, hostname: off}], ports: [{port: "80"}]}]')).toEqual([
      'stdin: subsets[0].addresses[0].hostname false: must be a string; write it in quotes (in YAML, n, no, off, y, yes and on are booleans too)',
      expect.stringMatching(/ports\[0\]\.port "80": must be a whole number/),
    ]);
  });

  test('pack prints YAML as kubectl lays it out, whatever the order of the input', async () => {
    const port = {protocol: 'TCP', port: 80, name: 'http'};
    const object = {
      subsets: [{ports: [port], notReadyAddresses: [{ip: '10.0.0.2'}], addresses: [{nodeName: 'n', ip: '10.0.0.1'}]}],
      metadata: {namespace: 'shop', name: 'web', labels: {b: '1', a: '2'}},
      kind: 'Endpoints',
      apiVersion: 'v1',
    };
    expect((await runOn(pack, JSON.stringify(object))).split('\n')).toEqual([
      'apiVersion: v1',
      'kind: Endpoints',
      'metadata:',
      '  labels:',
      '    a: "2"',
      '    b: "1"',
      '  name: web',
      '  namespace: shop',
      'subsets:',
      '- addresses:',
      '  - ip: 10.0.0.1',
      '    nodeName: "n"',
      '  notReadyAddresses:',
      '  - ip: 10.0.0.2',
      '  ports:',
      '  - name: http',
      '    port: 80',
      '    protocol: TCP',
      '',
    ]);
    const list = await runOn(pack, JSON.stringify({metadata: {}, kind: 'List', items: [object]}), '--json');
    expect(list).toMatch(
      /^\{"items":\[\{"apiVersion":"v1","kind":"Endpoints","metadata":.*\],"kind":"List","metadata":/,
    );
  });

  test('E-003 expand of a list says of which object each endpoint is', async () => {
    const rows = (await runOn(expand, JSON.stringify(LIST), '--json')).trim().split('\n');
    expect(rows.map(row => JSON.parse(row) as object)).toEqual([
      expect.objectContaining({namespace: 'shop', name: 'a', ip: '10.0.0.1', port: 80}),
      expect.objectContaining({namespace: 'shop', name: 'a', ip: '10.0.0.2', port: 80}),
      expect.objectContaining({namespace: 'shop', name: 'b', ip: '10.0.0.3', port: 80}),
    ]);
    expect(await runOn(expand, JSON.stringify(LIST))).toMatch(/^OBJECT .*\nshop\/a .*10\.0\.0\.1/);
  });

  test('null is as good as absent', async () => {
    const input =
      '{"subsets":[{"addresses":[{"ip":"10.0.0.1","nodeName":null}],"notReadyAddresses":null,"ports":null}]}';
    expect(JSON.parse(await runOn(expand, input, '--json'))).toEqual({ip: '10.0.0.1', ready: true});
  });
});

describe('faults', () => {
  test('IPs, ports, types and unknown fields: all at once, with field, value and way out', async () => {
    const addresses = [{ip: '10.0.0'}, {ip: '10.0.0.01'}, {}, {ip: 10, nodeNam: 'n'}];
    const ports = [{port: 70000}, {port: '80'}, {port: 0, protocol: 'tcp'}, {name: 'x'}];
    expect(await faultsOf(JSON.stringify({subsets: [{addresses, ports}]}))).toEqual([
      'stdin: subsets[0].addresses[2].ip: required, but missing',
      'stdin: unknown field "subsets[0].addresses[3].nodeNam": did you mean "nodeName"?',
      'stdin: subsets[0].addresses[3].ip 10: must be a string; write it in quotes',
      'stdin: subsets[0].ports[1].port "80": must be a whole number; write 80 without quotes',
      'stdin: subsets[0].ports[2].protocol "tcp": must be one of SCTP, TCP, UDP',
      'stdin: subsets[0].ports[3].port: required, but missing',
      'stdin: subsets[0].addresses[0].ip "10.0.0": not an IP address; write one such as 10.9.8.7 or 2001:db8::1, without port or range',
      'stdin: subsets[0].addresses[1].ip "10.0.0.01": not a spelling that the server accepts; write 10.0.0.1',
      'stdin: subsets[0].ports[0].port 70000: not a port number; write a number from 1 to 65535',
      'stdin: subsets[0].ports[2].port 0: not a port number; write a number from 1 to 65535',
    ]);
  });

  test('of lists and documents: where they are', async () => {
    const items = [named('a', '10.0.0.1'), {kind: 'Service', metadata: {name: 's'}}, named('c', 'x')];
    const good = JSON.stringify(named('a', '10.0.0.1'));
    const faults = await faultsOf(`${good}\n---\n${JSON.stringify({...LIST, items})}\n---\n{spec: 1}\n`);
    expect(faults).toEqual([
      'stdin: document 2: items[1]: is of kind "Service"; give Endpoints, or a List of them',
      expect.stringMatching(/^stdin: document 2: items\[2\]\.subsets\[0\]\.addresses\[0\]\.ip "x": not an IP address/),
      expect.stringMatching(/^stdin: document 3: needs an object with "subsets"/),
    ]);
  });

  test.each([
    ['', 'is empty'],
    ['{"kind": "List", "items": 5}', 'items 5: must be a list'],
    ['{"kind": "List", "apiVersion": "v9", "items": []}', 'apiVersion "v9": must be v1'],
    ['{"kind": "List", "apiVersion": null, "items": [{"apiVersion": "core/v1", "kind": "Endpoints"}]}', 'must be v1'],
    ['{"kind": "Endpoints", "apiVersion": "core/v1"}', 'apiVersion "core/v1": must be v1'],
    ['{"kind": "Endpoints", "apiVersion": "v2"}', 'apiVersion "v2": must be v1'],
    ['3', 'needs an object'],
  ])('%j: %s, and no library function is named', async (input, fault) => {
    const [first = ''] = await faultsOf(input);
    expect(first).toContain(fault);
    expect(first).not.toMatch(/YAML\.parse|parseAllDocuments/);
  });

  test.each([
    ['a: [1', ['stdin:1:6: Flow sequence in block collection must be sufficiently indented and end with a ]: indent']],
    ['{"a" 1}', ['stdin:1:6: Missing , or : between flow map items: add it']],
    ['a: 1\n b: 2\n', ['stdin:1:4: Nested mappings are not allowed in compact mappings: indent the lines']],
    ['a:\n\t- b\n', ['stdin:2:1: Tabs are not allowed as indentation: use spaces']],
    ['a: 1\na: 2\n', ['stdin:2:1: Map keys must be unique: keep one']],
    ['a: *nowhere\nb: *here\n', ['stdin:1:4: Alias *nowhere without its anchor: define', 'stdin:2:4: Alias *here']],
    ['a: 1\n---\nb: [1\n---\nc: }\n', ['stdin:4:1: Flow sequence', 'stdin:5:4: Unexpected flow-map-end token']],
    ['a: &a {b: *a}', ["stdin: yaml: line 1: anchor 'a' value contains itself"]],
    [
      'a: 1\n---\nb: .inf\n---\nc: !!int x',
      [
        'stdin: document 2: json: unsupported value: +Inf',
        'stdin: document 3: yaml: line 2: cannot decode !!str `x` as a !!int',
      ],
    ],
    ['%YAML 3\n---\na: 1', ['stdin:1:7: Unsupported YAML version 3: write valid YAML or JSON']],
  ])('YAML %j: one line for each fault, with its line and column', async (input, expected) => {
    const faults = await faultsOf(input);
    expect(faults).toEqual(expected.map(start => expect.stringContaining(start)));
    for (const fault of faults) expect(fault).toMatch(/^stdin:(\d+:\d+:| yaml:| document \d:) .+/);
  });

  test('of a file that is something else not every line is told', async () => {
    const faults = await faultsOf('@a: 1\n---\n'.repeat(300));
    expect(faults).toHaveLength(101);
    expect(faults.at(-1)).toBe('stdin: more faults follow');
  });
});

test('bytes that are no text get one line that says so', async () => {
  const picture = Buffer.concat([
    Buffer.from('\x89PNG\r\n', 'latin1'),
    Buffer.alloc(9),
    Buffer.from(': x\n'.repeat(300)),
  ]);
  expect(await faultsOf(picture)).toEqual(['stdin: is not text (byte 6 is NUL); give JSON or YAML in UTF-8']);
  const latin1 = Buffer.from('subsets: [] # caf\xe9', 'latin1');
  expect(await faultsOf(latin1)).toEqual(['stdin: is not text (it is not UTF-8); give JSON or YAML in UTF-8']);
});

test('a byte order mark is no part of the text', async () => {
  const lines = `${JSON.stringify({subsets: [subset('10.0.0.1', 1)]})}\n`.repeat(2);
  expect(await runOn(pack, `\ufeff${lines}`, '--json')).toBe(await runOn(pack, lines, '--json'));
});
