// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {plainSource, type RuleSource} from '../sources.ts';
import {type DownloadOptions, sha256Of} from './download.ts';
import {checkRuleFiles, readSources} from './read-sources.ts';

const DAY_MS = 86_400_000;
let place = '';
let now = 0;
let server: Server | undefined;
const path = (name: string): string => join(place, name);
const put = (name: string, text: string): string => {
  mkdirSync(join(path(name), '..'), {recursive: true});
  writeFileSync(path(name), text);
  return path(name);
};
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'palisade-sources-'));
  now = Date.UTC(2026, 10, 1);
});
afterEach(async () => {
  await new Promise(resolve => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
  rmSync(place, {recursive: true});
});

const options = (more: Partial<DownloadOptions> = {}): DownloadOptions => ({
  cacheDir: path('cache'),
  clock: {now: () => now},
  timers: {after: (ms, action) => ({cancel: clearTimeout.bind(undefined, setTimeout(action, ms))})},
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  ...more,
});
const read = (sources: readonly (string | RuleSource)[], more: Partial<DownloadOptions> = {}) =>
  readSources(
    sources.map(source => (typeof source === 'string' ? plainSource(source) : source)),
    options(more),
  );
const serve = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  server = createServer(answer);
  await new Promise<void>(resolve => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const tarred = (folder: string): string => {
  execFileSync('tar', ['-C', place, '-czf', path('made.tar.gz'), folder]);
  return path('made.tar.gz');
};

test('43-2 a folder gives all its *.rules files, those in folders below too, without deleted.rules; the others are next to them', async () => {
  put('et/emerging-dns.rules', 'alert a');
  put('et/sub/b.rules', 'alert b');
  put('et/emerging-deleted.rules', 'alert no');
  put('et/readme.txt', 'no');
  put('et/sub/list.lst', 'in sub');
  put('et/list2.lst', 'at the top');
  put('et/classification.config', 'config classification: own,Own,2');
  put('secret', 'no');
  symlinkSync(path('secret'), path('et/sub/out.lst'));
  const {files, classifications} = await read([path('et')]);
  expect(files.map(({source, path: at}) => [source, at])).toEqual([
    [path('et/emerging-dns.rules'), 'emerging-dns.rules'],
    [path('et/sub/b.rules'), 'sub/b.rules'],
  ]);
  expect(classifications).toEqual(['config classification: own,Own,2']);
  const beside = files[1]?.beside;
  expect(String(await beside?.('list.lst'))).toBe('in sub');
  expect(String(await beside?.('list2.lst'))).toBe('at the top');
  for (const name of ['../../secret', path('secret'), 'out.lst'])
    expect(await beside?.(name)).toMatch(/^it is outside of the folder/);
  expect(await beside?.('none.lst')).toBe('there is no such file next to the one that names it');
});

test('43-2 an archive is a folder: its files are named with their place, and found next to each other', async () => {
  put('rules/a.rules', 'alert a');
  put('rules/list.lst', 'l');
  const archive = tarred('rules');
  const {files} = await read([archive]);
  expect(files).toMatchObject([{source: `rules/a.rules in ${archive}`, path: 'rules/a.rules', text: 'alert a'}]);
  expect(String(await files[0]?.beside('list.lst'))).toBe('l');
  expect(await files[0]?.beside('../rules/list.lst')).toMatch(/^it is outside of the folder/);
});

test('43-2 a checksum that does not fit refuses a file and an archive; all faults are named at once', async () => {
  const file = put('a.rules', 'alert a');
  const good = sha256Of(Buffer.from('alert a')).toUpperCase();
  expect((await read([{...plainSource(file), sha256: good}])).files).toHaveLength(1);
  mkdirSync(path('empty'));
  const wrong = 'a'.repeat(64);
  await expect(read([{...plainSource(file), sha256: wrong}, path('none'), path('empty')])).rejects.toMatchObject({
    code: 'rule-file',
    message: expect.stringMatching(
      new RegExp(
        `^Rule file .*/(none: no such file; check the path|a\\.rules: its SHA-256 is [0-9a-f]{64}, not ${wrong}: check .*|empty: a folder without a \\*\\.rules file)`,
      ),
    ),
  });
});

test('43-2 a URL is asked whether it changed, and a server that is away leaves the last copy, with its age', async () => {
  put('rules/a.rules', 'alert a');
  const archive = readFileSync(tarred('rules'));
  const asked: (string | undefined)[] = [];
  const url = `${await serve((request, response) => {
    asked.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else response.writeHead(200, {etag: '"1"'}).end(archive);
  })}/a-key/et.tar.gz?key=1`;
  const shown = `${new URL(url).origin}/…/et.tar.gz`;
  for (let times = 0; times < 2; times++) {
    const {files, warnings} = await read([url]);
    expect([files.map(({source}) => source), warnings]).toEqual([[`rules/a.rules in ${shown}`], []]);
    now += DAY_MS;
  }
  expect(asked).toEqual([undefined, '"1"']);
  await new Promise(resolve => server?.close(resolve));
  server?.closeAllConnections();
  server = undefined;
  now += DAY_MS;
  const {files, warnings} = await read([url]);
  expect(files).toHaveLength(1);
  expect(warnings).toEqual([
    expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:\d+\/…\/et\.tar\.gz cannot be fetched \(.*ECONNREFUSED.*\): the copy of 2026-11-02T00:00:00\.000Z, 2 days old, is used$/,
    ),
  ]);
});

test('43-2 a copy that was damaged is not used, and one with another checksum neither', async () => {
  let body = 'alert a';
  const url = `${await serve((_, response) => response.end(body))}/a.rules`;
  const sha256 = sha256Of(Buffer.from(body));
  await read([{...plainSource(url), sha256}]);
  body = 'alert b';
  await expect(read([{...plainSource(url), sha256}])).rejects.toThrow(/its SHA-256 is/);
  const bodies = execFileSync('sh', ['-c', `ls ${path('cache')}/*.body`])
    .toString()
    .trim();
  expect(readFileSync(bodies, 'utf8')).toBe('alert a');
  writeFileSync(bodies, 'alert x');
  await new Promise(resolve => server?.close(resolve));
  server = undefined;
  await expect(read([url])).rejects.toThrow(/cannot be fetched: .*ECONNREFUSED/);
});

test.each<[string, (request: IncomingMessage, response: ServerResponse) => void, RegExp, number?]>([
  ['an error', (_, response) => response.writeHead(404).end(), /cannot be fetched: the server answered 404$/],
  ['no answer', () => {}, /cannot be fetched: no answer within 0\.05 s$/, 50],
  ['a page', (_, response) => response.end('\0\0'), /a\.rules: not a text file: it contains a NUL byte$/],
])('43-2 a URL that gives %s is a fault in words', async (_, answer, words, timeoutMs = 30_000) => {
  const url = `${await serve((request, response) => answer(request, response))}/a.rules`;
  const reading = read([url], {timeoutMs});
  await expect(reading).rejects.toMatchObject({code: 'rule-file', message: expect.stringMatching(words)});
  server?.closeAllConnections();
});

test('43-2 what may be a key in a URL is in no message; a byte order mark is no part of a file in Latin-1', async () => {
  const secret = `${await serve((_, response) => response.writeHead(403).end())}/secret/et.tar.gz?key=secret`;
  const userinfo = 'https://me:secret@example.test/a.rules';
  const fault: unknown = await read([secret, userinfo, 'http://[secret']).catch((error: unknown) => error);
  const message = fault instanceof Error ? fault.message : '';
  expect(message).toMatch(
    /\/…\/et\.tar\.gz: cannot be fetched: .*https:\/\/example\.test\/a\.rules: a URL must not carry/,
  );
  expect(message.replace('http://[secret', '')).not.toContain('secret');
  writeFileSync(path('l1.rules'), Buffer.from('\xef\xbb\xbf# caf\xe9\n', 'latin1'));
  expect((await read([path('l1.rules')])).files).toMatchObject([{text: '# caf\xe9\n', encoding: 'latin1'}]);
});

test('43-2 the classification.config next to a rule file is read, as suricata-update writes it', async () => {
  put('classification.config', 'config classification: own,Own,2');
  expect((await read([put('suricata.rules', 'alert a')])).classifications).toEqual([
    'config classification: own,Own,2',
  ]);
});

test('43-2 places are checked without reading them: folders and URLs are right', async () => {
  await expect(checkRuleFiles([path('a'), place])).rejects.toThrow(
    /a: no such file; .*rule file .*: a folder without a \*\.rules file; put one into it/,
  );
  put('x.rules', 'alert a');
  await checkRuleFiles([place, 'https://example.test/x.tar.gz']);
});

test('43-2 a file that is named as an archive and is none is no rule file', async () => {
  const junk = put('x.tar.gz', 'no archive\n');
  await expect(readSources([plainSource(junk)], options())).rejects.toThrow(
    /x\.tar\.gz: it is named as an archive, but is not a \.tar\.gz, \.tar or \.zip: pack it again/,
  );
});
