// SPDX-License-Identifier: Apache-2.0
/** The commands around Endpoints, through the real command line and a running server. */

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {yamlToJson} from '@palisade/kube-wire/yaml';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
beforeAll(async () => {
  server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const palisade = (...words: string[]) => run(words, {env: {PALISADE_SERVER: server.ready.http}});
const rows = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .filter(l => l !== '')
    .map(l => JSON.parse(l) as Record<string, unknown>);
const create = async (name: string, more: object = {}, metadata: object = {}): Promise<{metadata: {uid: string}}> => {
  const body = JSON.stringify({metadata: {name, ...metadata}, ...more});
  const url = `${server.ready.http}/api/v1/namespaces/default/endpoints`;
  return (await (await fetch(url, {method: 'POST', headers: {'content-type': 'application/json'}, body})).json()) as {
    metadata: {uid: string};
  };
};
const remove = (name: string) =>
  fetch(`${server.ready.http}/api/v1/namespaces/default/endpoints/${name}`, {method: 'DELETE'});
const status = async (name: string) =>
  (await fetch(`${server.ready.http}/api/v1/namespaces/default/endpoints/${name}`)).status;

const THREE_SUBSETS = [
  {
    addresses: [
      {ip: '10.0.0.1', nodeName: 'n1'},
      {ip: '10.0.0.2', nodeName: 'n2'},
    ],
    ports: [
      {name: 'a', port: 80},
      {name: 'b', port: 81},
    ],
  },
  {addresses: [{ip: '10.0.0.1', nodeName: 'n1'}], ports: [{name: 'a', port: 80}]},
  {notReadyAddresses: [{ip: '10.0.0.3', nodeName: 'n1'}], ports: [{name: 'a', port: 80}]},
];

describe('palisade expand', () => {
  test('E-003 E-004 three subsets give their union, address × port, without duplicates', async () => {
    await create('union', {subsets: THREE_SUBSETS});
    const {stdout, code} = await palisade('expand', 'union', '--json');
    expect(code).toBe(0);
    expect(
      rows(stdout)
        .map(r => `${r['ip']}:${r['port']} ${r['ready']}`)
        .toSorted(),
    ).toEqual(['10.0.0.1:80 true', '10.0.0.1:81 true', '10.0.0.2:80 true', '10.0.0.2:81 true', '10.0.0.3:80 false']);
  });

  test('E-041 --ready leaves out what is not safe to send traffic to', async () => {
    const {stdout} = await palisade('expand', 'union', '--ready', '--json');
    expect(rows(stdout).map(r => r['ip'])).not.toContain('10.0.0.3');
  });

  test('the name may be written as for other commands', async () => {
    const {stdout} = await palisade('expand', 'union');
    for (const word of ['ep/union', 'endpoints/union', 'Endpoints/union'])
      expect(await palisade('expand', word)).toMatchObject({code: 0, stdout});
  });

  test('E-070 --node gives exactly the endpoints of that node', async () => {
    const {stdout} = await palisade('expand', 'union', '--node', 'n2', '--json');
    expect(
      rows(stdout)
        .map(r => `${r['ip']}:${r['port']}`)
        .toSorted(),
    ).toEqual(['10.0.0.2:80', '10.0.0.2:81']);
  });

  test('a missing object is named, with exit code 1; a missing name is usage', async () => {
    expect(await palisade('expand', 'absent')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('endpoints "absent" not found in the namespace default'),
    });
    expect((await palisade('expand')).code).toBe(2);
    for (const word of ['pods/web', 'ep/', 'ep/a/b', '/web'])
      expect(await palisade('pack', word)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`"${word}": give the NAME of an Endpoints object, or endpoints/NAME`),
      });
    for (const words of [
      ['expand', 'web'],
      ['describe', 'endpoints/web'],
      ['why-not-deleted', 'endpoints/web'],
    ])
      expect(await palisade(...words, '-n', '../x')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--namespace "../x": may not contain \'/\''),
      });
    const elsewhere = await palisade('expand', 'absent', '-n', 'team');
    expect(elsewhere).toMatchObject({code: 1, stderr: expect.stringContaining('not found in the namespace team')});
  });
});

describe('palisade pack', () => {
  test('E-005 E-006 addresses go by the IPs they share; one address with a port ready and one not stands in two subsets', async () => {
    const file = join(folder.dir, 'flat.json');
    const one = (ip: string, port: number, ready: boolean) => ({
      [ready ? 'addresses' : 'notReadyAddresses']: [{ip}],
      ports: [{name: `p${port}`, port}],
    });
    writeFileSync(
      file,
      JSON.stringify({subsets: [one('10.0.0.1', 1, true), one('10.0.0.2', 1, true), one('10.0.0.1', 2, false)]}),
    );
    const {stdout, code} = await run(['pack', '--file', file, '--json']);
    expect(code).toBe(0);
    const {subsets} = JSON.parse(stdout) as {
      subsets: {addresses?: {ip: string}[]; notReadyAddresses?: {ip: string}[]}[];
    };
    expect(subsets).toHaveLength(2);
    expect(subsets.flatMap(s => s.addresses ?? []).map(a => a.ip)).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(subsets.flatMap(s => s.notReadyAddresses ?? []).map(a => a.ip)).toEqual(['10.0.0.1']);
  });

  test('YAML is written so that kubectl reads texts as texts', async () => {
    const file = join(folder.dir, 'texts.json');
    const labels = Object.fromEntries(['on', 'y', '0b11', '1_000', 'plain'].map(text => [text, text]));
    writeFileSync(file, JSON.stringify({apiVersion: 'v1', kind: 'Endpoints', metadata: {name: 'texts', labels}}));
    const {stdout} = await run(['pack', '--file', file]);
    expect(JSON.parse(yamlToJson(Buffer.from(stdout)).text)).toMatchObject({metadata: {labels}});
    expect(stdout).toContain('    "on": "on"\n');
  });

  test('a file that cannot be read is told in words, with flag, value and way out', async () => {
    const read = async (...words: string[]) => (await run(words)).stderr;
    const absent = '--file no.yaml: cannot be read: no such file; check the path';
    expect(await read('pack', '--file', 'no.yaml')).toBe(`palisade: ${absent}\n`);
    const isFolder = `${folder.dir}: cannot be read: is a folder; give a file\n`;
    expect(await read('expand', '-f', folder.dir)).toBe(`palisade: --file ${isFolder}`);
    expect(await read('replay', folder.dir, '--endpoint', 'x')).toBe(`palisade: ${isFolder}`);
    const text = join(folder.dir, 'no-capture.pcap');
    writeFileSync(text, 'this file has a text in it, and no frames');
    expect(await read('replay', text, '--endpoint', 'x')).toBe(`palisade: ${text}: not a pcap or pcapng file\n`);
  });

  test('what is no Endpoints object is refused with the reason', async () => {
    const file = join(folder.dir, 'bad.json');
    writeFileSync(file, '{"spec": 1}');
    expect(await run(['pack', '--file', file])).toMatchObject({code: 1, stderr: expect.stringContaining('"subsets"')});
  });

  test.each([
    ['{"subsets": [{"addressez": [{"ip": "10.0.0.1"}]}]}', 'unknown field "subsets[0].addressez"'],
    [
      '{"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": "80"}]}]}',
      'subsets[0].ports[0].port "80": must be a whole number',
    ],
  ])('what would be lost or misread is refused by name: %s', async (text, fault) => {
    const file = join(folder.dir, 'mistyped.json');
    writeFileSync(file, text);
    for (const command of ['pack', 'expand'])
      expect(await run([command, '--file', file])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(fault),
      });
  });
});

describe('palisade threats', () => {
  test('of a server without the IDS side prints no head of a table before the refusal', async () => {
    expect(await palisade('threats')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('the ids API is not enabled on this server'),
    });
  });
});

describe('palisade describe', () => {
  test.each(['ep/', '/api', 'ep/a/b', ''])('"%s" is usage, with the form', async word => {
    expect(await palisade('describe', word)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`"${word}": give RESOURCE/NAME`),
    });
  });

  test('E-196 shows the managing controller as Controlled By', async () => {
    const owner = await create('boss');
    const reference = {apiVersion: 'v1', kind: 'Endpoints', name: 'boss', uid: owner.metadata.uid, controller: true};
    await create('managed', {subsets: THREE_SUBSETS}, {ownerReferences: [reference]});
    const {stdout} = await palisade('describe', 'endpoints/managed');
    expect(stdout).toMatch(/Controlled By:\s+Endpoints\/boss/);
    expect(stdout).toContain('not ready 10.0.0.3 port 80/TCP (a) on n1');
  });

  test('E-153 E-196 shows every owner, with the one that controls marked', async () => {
    const owner = await create('boss-2');
    const reference = {apiVersion: 'v1', kind: 'Endpoints', name: 'boss-2', uid: owner.metadata.uid};
    const other = await create('other');
    const second = {...reference, name: 'other', uid: other.metadata.uid, controller: true};
    await create('shared', {}, {ownerReferences: [reference, second], finalizers: ['example.com/slow']});
    expect((await palisade('describe', 'ep/shared')).stdout).toMatch(
      /\nOwners:\n {2}Endpoints\/boss-2 exists.*\n {2}Endpoints\/other \(controller\) exists/,
    );
    await remove('shared');
    expect((await palisade('describe', 'ep/shared')).stdout).toContain(
      'Owners:\n  Endpoints/boss-2\n  Endpoints/other (controller)\n',
    );
  });
});

describe('palisade why-not-deleted', () => {
  test('E-126 E-238 names the finalizer that holds; the confirmed removal needs uid and reason, and is logged', async () => {
    const {metadata} = await create('held', {}, {finalizers: ['example.com/guard']});
    expect((await palisade('why-not-deleted', 'endpoints/held')).stdout).toContain('was not deleted');
    await remove('held');
    expect(rows((await palisade('why-not-deleted', 'ep/held', '--json')).stdout)[0]).toMatchObject({
      deleted: true,
      holders: [{holder: 'example.com/guard', next: expect.stringContaining(`--uid ${metadata.uid} --reason`)}],
    });
    expect((await palisade('confirm-deletion', 'ep/held')).code).toBe(2);
    expect((await palisade('confirm-deletion', 'ep/held', '--uid', 'other', '--reason', 'r')).code).toBe(1);
    expect(await status('held')).toBe(200);
    expect(
      (await palisade('confirm-deletion', 'ep/held', '--uid', metadata.uid, '--reason', 'node-7 was scrapped')).code,
    ).toBe(0);
    expect(await status('held')).toBe(404);
    await expect.poll(() => server.stderr()).toContain('node-7 was scrapped');
  });

  test('E-193 shows the dependents that a foreground deletion waits for', async () => {
    const {metadata} = await create('owner');
    await create(
      'dependent',
      {},
      {
        finalizers: ['example.com/slow'],
        ownerReferences: [
          {apiVersion: 'v1', kind: 'Endpoints', name: 'owner', uid: metadata.uid, blockOwnerDeletion: true},
        ],
      },
    );
    await fetch(`${server.ready.http}/api/v1/namespaces/default/endpoints/owner?propagationPolicy=Foreground`, {
      method: 'DELETE',
    });
    const {stdout} = await palisade('why-not-deleted', 'endpoints/owner');
    expect(stdout).toContain('foregroundDeletion');
    expect(stdout).toContain('endpoints/dependent');
  });
});
