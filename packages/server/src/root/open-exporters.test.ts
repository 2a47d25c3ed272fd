// SPDX-License-Identifier: Apache-2.0
/** The exporters of a server: faults of their files at the start, SIGHUP, health. */
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {MemoryRecordStore} from '@palisade/ids/memory-record-store';
import {pino} from 'pino';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {type ExportEntry, exportConfigOf} from '../parts/export-config.ts';
import type {Logger} from '../process/logger.ts';
import {makeCertificate} from '../testing/certificate.ts';
import {Exporters} from './open-exporters.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/web';
const DAY_MS = 86_400_000;
const KEY = 'a key that is long enough to sign with';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-export-'));
});
afterEach(() => rm(dir, {recursive: true}));

const lines: string[] = [];
const log = pino({level: 'debug'}, {write: (line: string) => void lines.push(line)}) as Logger;

/** `said` messages name it `exporters[0]`. */
const configured = (...entries: readonly (Partial<ExportEntry> & {readonly url: string})[]) => {
  const {exports, faults} = exportConfigOf(
    [],
    entries.map(entry => ({kinds: [], endpoints: [], ...entry})),
    dir,
  );
  expect(faults).toEqual([]);
  return exports;
};

const receive = async () => {
  const posted: {readonly ids: readonly string[]; readonly signature: unknown}[] = [];
  const server = createServer(async (request, response) => {
    const records: readonly {readonly id: string}[] = JSON.parse(await text(request));
    posted.push({ids: records.map(({id}) => id), signature: request.headers['webhook-signature']});
    response.writeHead(204).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    posted,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
};

let next = 0;
const write = (records: MemoryRecordStore): Promise<void> =>
  records.commit({
    endpoint: ENDPOINT,
    checkpoint: undefined,
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    traffic: [],
    threats: [
      {
        id: `00000000-0000-0000-0000-000000000000-${next++}`,
        record: {endpoint: ENDPOINT, event_time: '2026-01-01T00:00:00.000000Z', alert_severity: 'HIGH'} as never,
      },
    ],
  });

test('44-5 every fault in the files of all exporters ends the start, with key, path and way out', async () => {
  const file = (name: string): string => join(dir, name);
  const {cert} = await makeCertificate('localhost');
  await writeFile(file('empty'), '');
  await writeFile(file('short'), 'short');
  await writeFile(file('cert.pem'), cert);
  await writeFile(file('headers'), 'Authorization: Bearer SECRET\nSECRET\n');
  await writeFile(file('odd'), 'X-Tenant: Łódź\n');
  await writeFile(file('bell'), '\nX-Tenant: a\x07\n');
  const faults = await new Exporters(log)
    .open(
      configured(
        {url: 'https://a/', secretFile: file('none'), caFile: file('empty'), headersFile: file('headers')},
        {url: 'https://b/', certFile: file('cert.pem'), keyFile: file('cert.pem')},
        {url: 'https://c/', secretFile: file('short')},
        {url: 'https://d/', headersFile: file('odd')},
        {url: 'https://e/', headersFile: file('bell')},
      ),
    )
    .catch((error: Error) => error.message.split('\n'));
  expect(faults).toEqual([
    `exporters[0].secretFile ${file('none')}: cannot be read: no such file; check the path`,
    `exporters[0].caFile ${file('empty')}: contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)`,
    `exporters[0].headersFile ${file('headers')}: line 2: must be "Name: value"`,
    `exporters[1].keyFile ${file('cert.pem')}: contains no private key without passphrase in PEM form (-----BEGIN PRIVATE KEY-----)`,
    expect.stringContaining('exporters[2].secretFile line 1 has a key of 5 bytes'),
    expect.stringMatching(/^exporters\[3\]\.headersFile .*odd: line 1: the value must be one line, .*Latin-1$/),
    expect.stringMatching(/^exporters\[4\]\.headersFile .*bell: line 2: the value must be one line/),
  ]);
});

test('44-5 a reload opens what is new or changed, ends what is gone, and keeps all when something is wrong', async () => {
  await using receiver = await receive();
  const secretFile = join(dir, 'key');
  await writeFile(secretFile, `${KEY}\n`);
  const records = new MemoryRecordStore();
  const exporters = new Exporters(log);
  const hook = {url: receiver.url, name: 'hook', secretFile};
  await exporters.open(configured(hook));
  exporters.start(records, DAY_MS);
  await expect.poll(() => records.loadReader('export/hook')).toBeDefined();
  await write(records);
  await expect.poll(() => receiver.posted.length).toBe(1);

  await writeFile(secretFile, 'short');
  expect(await exporters.reload(configured(hook))).toEqual({
    reasons: {'exporters[0]': expect.stringContaining('has a key of 5 bytes')},
  });
  await write(records);
  await expect.poll(() => receiver.posted.length).toBe(2);

  await writeFile(secretFile, `another ${KEY}\n`);
  const other = {url: receiver.url, name: 'other', endpoints: ['projects/-/locations/-/endpoints/shop']};
  expect(await exporters.reload(configured(hook, other))).toBe('applied');
  await write(records);
  await expect.poll(() => receiver.posted.length).toBe(3);
  expect(new Set(receiver.posted.flatMap(({ids}) => ids)).size).toBe(3);
  expect(receiver.posted[2]?.signature).not.toBe(receiver.posted[1]?.signature);
  expect((await exporters.health()).map(({name}) => name)).toEqual(['hook', 'other']);
  await expect
    .poll(() => exporters.health(ENDPOINT))
    .toMatchObject([{name: 'hook', state: 'OK', sent: 1, lagRecords: 0, lastError: ''}]);

  expect(await exporters.reload([])).toBe('applied');
  expect(await exporters.health()).toEqual([]);
  await write(records);
  expect(await exporters.reload(configured(hook))).toBe('applied');
  await expect.poll(() => receiver.posted.length).toBe(4);
  await exporters.stop();
  for (const secret of [KEY, 'SECRET']) expect(lines.join('')).not.toContain(secret);
});

test('44-5 a stop while a reload ends exporters waits for it, and nothing runs after it', async () => {
  await using receiver = await receive();
  const records = new MemoryRecordStore();
  const exporters = new Exporters(log);
  await exporters.open(configured({url: receiver.url, name: 'one'}));
  exporters.start(records, DAY_MS);
  await expect.poll(() => records.loadReader('export/one')).toBeDefined();
  const reloaded = exporters.reload(configured({url: receiver.url, name: 'two', from: 'start'}));
  await exporters.stop();
  expect(await Promise.race([reloaded, 'under way'])).toBe('applied');
  await write(records);
  expect(await exporters.reload(configured({url: receiver.url, name: 'three', from: 'start'}))).toBe('applied');
  expect(await exporters.health()).toEqual([]);
  expect([await records.loadReader('export/two'), await records.loadReader('export/three')]).toEqual([
    undefined,
    undefined,
  ]);
});

test('44-5 the position of an exporter that is configured no more is kept as long as records are, then forgotten', async () => {
  await using receiver = await receive();
  const records = new MemoryRecordStore();
  const exporters = new Exporters(log);
  const [one, two] = [
    {url: receiver.url, name: 'one'},
    {url: receiver.url, name: 'two'},
  ];
  await exporters.open(configured(one, two));
  exporters.start(records, DAY_MS);
  await expect.poll(() => records.loadReader('export/one')).toBeDefined();
  await expect.poll(() => records.loadReader('export/two')).toBeDefined();
  expect(await exporters.reload(configured(one))).toBe('applied');
  expect(await records.loadReader('export/two')).toBeDefined();
  expect(await exporters.reload(configured(one), -1)).toBe('applied'); // as if the day were over
  expect(await records.loadReader('export/two')).toBeUndefined();
  expect(await records.loadReader('export/one')).toBeDefined();
  await exporters.stop();
  expect(lines.join('')).toContain('"exporters":["two"],"msg":"positions of removed exporters forgotten"');
});
