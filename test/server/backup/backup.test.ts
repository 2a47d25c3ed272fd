// SPDX-License-Identifier: Apache-2.0
/** `palisade backup`, `verify` and `restore` against real servers. */
import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingMessage, request, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {palisade} from '../../support/in-process.ts';
import {PALISADE, quiet, type RunningServer, run, type Scratch, scratch, serve} from '../../support/palisade.ts';

type Item = {readonly metadata: {readonly name: string; readonly uid: string; readonly resourceVersion: string}};
type List = {readonly metadata: {readonly resourceVersion: string}; readonly items: readonly Item[]};

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const send = async (url: string, method: string, body?: object): Promise<number> => {
  const headers = {'content-type': 'application/json'};
  const answer = await fetch(url, {method, ...(body === undefined ? {} : {headers, body: JSON.stringify(body)})});
  await answer.arrayBuffer();
  return answer.status;
};
const list = async (http: string, query = ''): Promise<List> =>
  (await (await fetch(`${http}/api/v1/configmaps${query}`)).json()) as List;
const configMap = (name: string, text: string) => ({metadata: {name}, data: {text}});

/** Creates, changes and deletes until it is stopped; the number of writes. */
const load = (http: string) => {
  let [isOver, writes] = [false, 0];
  const write = async (of: number): Promise<void> => {
    for (let i = 0; !isOver; i++) {
      const name = `load-${of}-${i % 20}`;
      const url = `${http}${CONFIG_MAPS}`;
      const created = await send(url, 'POST', configMap(name, String(i)));
      if (created === 409) await send(`${url}/${name}`, i % 3 === 0 ? 'DELETE' : 'PUT', configMap(name, String(i)));
      writes += 1;
    }
  };
  const writers = [0, 1, 2].map(write);
  return {
    stop: async (): Promise<number> => {
      isOver = true;
      await Promise.all(writers);
      return writes;
    },
  };
};

let folder: Scratch;
let server: RunningServer;
beforeAll(async () => {
  folder = scratch();
  server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
  const url = `${server.ready.http}${CONFIG_MAPS}`;
  for (let i = 0; i < 150; i++) expect(await send(url, 'POST', configMap(`c${i}`, `text ${i}`))).toBe(201);
}, 60_000);
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const data = (): string => join(folder.dir, 'data');
const inFolder = (name: string): string => join(folder.dir, name);

test('48-3 a backup under load, restored: every object is what a list at its revision gave, and no other', async () => {
  const {http} = server.ready;
  const writers = load(http);
  const made = await run(['backup', inFolder('load.tar.zst'), '--data', data(), '--json']);
  expect(await writers.stop()).toBeGreaterThan(10);
  expect([made.code, made.stderr]).toEqual([0, '']);
  const {revision, objects, serverUid} = JSON.parse(made.stdout);
  expect(statSync(inFolder('load.tar.zst')).mode & 0o777).toBe(0o600);
  const wanted = await list(http, `?resourceVersion=${revision}&resourceVersionMatch=Exact`);
  expect(wanted.items.length).toBeGreaterThanOrEqual(150);
  expect((await list(http)).metadata.resourceVersion).not.toBe(revision);

  const verified = await palisade(['verify', inFolder('load.tar.zst'), '--json']);
  expect(JSON.parse(verified.stdout)).toMatchObject({valid: true, revision, objects, serverUid, records: false});

  const restored = await palisade(['restore', inFolder('load.tar.zst'), '--data', inFolder('restored'), '--json']);
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(JSON.parse(restored.stdout)).toMatchObject({backupRevision: revision, aside: null});
  const flags = quiet(folder.dir).map(word => (word === data() ? inFolder('restored') : word));
  await using second = await serve([...flags, '--apis', 'kubernetes']);
  const found = await list(second.ready.http);
  expect(found.items).toEqual(wanted.items);
  expect(Number(found.metadata.resourceVersion)).toBeGreaterThan(Number(revision) + 999_999_999);
  const old = await fetch(`${second.ready.http}/api/v1/configmaps?watch=1&resourceVersion=${Number(revision) + 1}`);
  expect(await old.text()).toContain('"code":410');
}, 90_000);

test('48-3 a backup is in the audit log, and its parameters are checked', async () => {
  const {http} = server.ready;
  expect(await send(`${http}/backup?records=perhaps&x=1`, 'POST')).toBe(400);
  expect(await send(`${http}/backup?records=true`, 'POST')).toBe(400); // --apis kubernetes
  expect(await send(`${http}/backup`, 'GET')).toBe(405);
  expect(await send(`${http}/backup`, 'POST')).toBe(200);
  const events = () =>
    readFileSync(join(data(), 'audit', 'audit.log'), 'utf8')
      .split('\n')
      .filter(line => line.includes('"requestURI":"/backup"') && line.includes('ResponseComplete'))
      .map(line => JSON.parse(line).responseStatus.code as number);
  await expect.poll(events).toEqual(expect.arrayContaining([405, 200]));
});

test('48-3 an existing file is kept without --force; a stopped folder is read directly; - is stdout', async () => {
  const file = inFolder('kept.tar.zst');
  writeFileSync(file, 'mine');
  const refused = await palisade(['backup', file, '--data', data()]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    `palisade: ${file}: the file exists; give --force to replace it, or choose another name\n`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect((await palisade(['backup', file, '--data', data(), '--force'])).stdout).toContain('objects at revision');
  await palisade(['restore', file, '--data', inFolder('stopped')]);
  const script = '"$0" backup - --data "$1" > "$2"';
  const offline = await run(['-c', script, PALISADE, inFolder('stopped'), inFolder('o')], {command: 'sh'});
  expect([offline.code, offline.stderr]).toEqual([0, '']);
  const full = await run(['-c', '"$0" backup - --data "$1" > /dev/full', PALISADE, inFolder('stopped')], {
    command: 'sh',
  });
  expect([full.code, full.stderr.split('\n').at(-2)]).toEqual([1, 'palisade: the backup on stdout is incomplete']);
  expect((await palisade(['verify', inFolder('o')])).stdout).toMatch(/intact\nCreated: .*\nServer: {4}[0-9a-f]{8}-/);
});

test('48-3 verify reads stdin; restore does not, and says why; a file that cannot be read has an exit code of its own', async () => {
  const name = inFolder('stdin.tar.zst');
  await palisade(['backup', name, '--data', data()]);
  const content = readFileSync(name);
  const from = (bytes: Buffer, ...words: string[]) => palisade(['verify', '-', ...words], Readable.from([bytes]));
  const [ofFile, ofStdin] = [await palisade(['verify', name]), await from(content)];
  expect([ofStdin.code, ofStdin.stdout]).toEqual([0, ofFile.stdout.replace(name, 'stdin')]);
  for (const bytes of [0, 20, content.length >> 1, content.length - 1]) {
    const {code, stdout} = await from(content.subarray(0, bytes), '--json');
    const fault = expect.stringContaining(`cut off after ${bytes} bytes`);
    expect([code, JSON.parse(stdout)]).toEqual([1, {file: 'stdin', valid: false, member: null, fault}]);
  }
  const changed = Buffer.from(content);
  changed[content.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  expect(await from(changed)).toMatchObject({
    code: 1,
    stderr: 'palisade: stdin: the checksum of the file does not match\n',
  });
  expect(await palisade(['restore', '-', '--data', inFolder('never')])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('restore does not read stdin: all of a backup is verified before anything changes'),
  });
  const absent = await palisade(['verify', inFolder('absent'), '--json']);
  expect([absent.code, JSON.parse(absent.stdout)]).toMatchObject([3, {error: {code: 'absent'}}]);
  expect((await palisade(['verify', folder.dir])).code).toBe(3);
});

test('48-3 a file that cannot be written is named, and nothing is left of it', async () => {
  const file = inFolder('full.tar.zst');
  const script = 'ulimit -f 4; exec "$0" backup "$1" --data "$2"';
  const {code, stderr} = await run(['-c', script, PALISADE, file, data()], {command: 'sh'});
  expect(code).toBe(1);
  expect(stderr).toContain(`palisade: ${file}: cannot be written: the limit on the size of files is reached`);
  expect((await palisade(['backup', inFolder('absent/x'), '--data', data()])).stderr).toContain(
    'absent/x: cannot be written',
  );
  expect(readdirSync(folder.dir).filter(name => name.startsWith('full'))).toEqual([]);
});

describe('48-3 a reader that takes nothing', () => {
  test('another one is refused meanwhile, writes continue, and its end ends the backup', async () => {
    const {http} = server.ready;
    const text = () => Buffer.from(crypto.getRandomValues(new Uint8Array(65_536))).toString('base64');
    const large = () => Array.from({length: 7}, text).join('');
    for (let i = 0; i < 28; i++)
      expect(await send(`${http}${CONFIG_MAPS}`, 'POST', configMap(`large-${i}`, large()))).toBe(201);
    const reader = request(`${http}/backup`, {method: 'POST'});
    const answer = await new Promise<IncomingMessage>(done => reader.on('response', done).end());
    expect(answer.statusCode).toBe(200);
    const second = await palisade(['backup', inFolder('second.tar.zst'), '--data', data()]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('another backup is being made')]);
    expect(await send(`${http}${CONFIG_MAPS}`, 'POST', configMap('meanwhile', 'x'))).toBe(201);
    reader.destroy();
    await expect.poll(() => server.stderr()).toContain('backup failed');
    const third = await palisade(['backup', inFolder('second.tar.zst'), '--data', data()]);
    expect([third.code, third.stderr]).toEqual([0, '']);
  }, 60_000);
});

describe('48-3 a server that sends less, or other bytes', () => {
  /** A server that answers with `answer`, and what the command does with it. */
  const against = async (answer: (response: ServerResponse, whole: Buffer) => void) => {
    const whole = readFileSync(inFolder('load.tar.zst'));
    const fake = createServer((_, response) => answer(response, whole));
    await new Promise<void>(done => fake.listen(0, '127.0.0.1', done));
    try {
      const url = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
      return await palisade(['backup', inFolder('fake.tar.zst'), '--server', url]);
    } finally {
      fake.close();
      fake.closeAllConnections();
    }
  };

  test.each<[string, (response: ServerResponse, whole: Buffer) => void, string]>([
    [
      'dies in the middle',
      (response, whole) => response.write(whole.subarray(0, whole.length >> 1), () => response.destroy()),
      'closed the connection in the middle of an answer',
    ],
    [
      'ends in the middle',
      (response, whole) => response.end(whole.subarray(0, -10)),
      'the received data is damaged: cut off',
    ],
    [
      'sends a changed byte',
      (response, whole) => response.end(Buffer.concat([whole.subarray(0, 500), Buffer.from('x'), whole.subarray(501)])),
      'the received data is damaged: ',
    ],
    ['refuses', response => response.writeHead(403).end('no'), 'the server answered 403: no'],
  ])('one that %s: exit code 1, and no file', async (_, answer, message) => {
    const {code, stderr} = await against(answer);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(readdirSync(folder.dir).filter(name => name.startsWith('fake'))).toEqual([]);
  });
});

test('48-3 a damaged file: verify names it and exits with 1, restore refuses and changes nothing', async () => {
  const whole = readFileSync(inFolder('load.tar.zst'));
  const file = inFolder('damaged.tar.zst');
  writeFileSync(file, whole.subarray(0, -100));
  const verified = await palisade(['verify', file]);
  expect([verified.code, verified.stderr]).toEqual([
    1,
    `palisade: ${file}: cut off after ${whole.length - 100} bytes, or not a backup: the checksum at the end of the file is missing\n`,
  ]);
  const json = await palisade(['verify', file, '--json']);
  expect([json.code, JSON.parse(json.stdout)]).toEqual([1, expect.objectContaining({valid: false, member: null})]);
  const refused = await palisade(['restore', file, '--data', inFolder('never')]);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('nothing was changed, use another backup'),
  ]);
  expect(existsSync(inFolder('never'))).toBe(false);
  const running = await palisade(['restore', inFolder('load.tar.zst'), '--data', data(), '--replace']);
  expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('stop that server before the restore')]);
  expect((await palisade(['verify'])).code).toBe(2);
});
