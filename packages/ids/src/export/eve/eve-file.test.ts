// SPDX-License-Identifier: Apache-2.0
import {mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {threatRecord} from '../../testing/threat-record.ts';
import type {ExporterOptions, ExportItem} from '../exporter.ts';
import {checkEveFile, openEveFile} from './eve-file.ts';
import {EVE_KINDS} from './eve-kinds.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/one';
const never = new AbortController().signal;
let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'eve-file-'));
});
afterEach(() => rmSync(dir, {recursive: true}));

const itemOf = (n: number, details = ''): ExportItem => ({
  kind: 'threats',
  endpoint: ENDPOINT,
  id: String(n),
  event: `{"event_type":"alert","n":${n},"details":"${details}"}`,
  record: threatRecord({
    threat_id: '1:1',
    name: 'n',
    alert_severity: 'HIGH',
    alert_time: '2026-01-01T00:00:00Z',
    source_port: String(n),
    endpoint: ENDPOINT,
  }),
});
const opened = (file: string, options: Readonly<Record<string, string>> = {}) =>
  openEveFile({settings: {url: `eve:${file}`, options}} as unknown as ExporterOptions);
const numbersIn = (file: string): readonly number[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => (JSON.parse(line) as {n: number}).n);

test('44-5 a batch is whole lines in the file, also where its name has blanks', async () => {
  const exporter = opened(join(dir, 'my%20eve.json'));
  await exporter.send(
    [1, 2, 3].map(n => itemOf(n)),
    never,
  );
  await exporter.send([itemOf(4)], never);
  await exporter.close();
  expect(numbersIn(join(dir, 'my eve.json'))).toEqual([1, 2, 3, 4]);
  expect(exporter.needsEvent).toBe(true);
});

test('44-5 a file that cannot be written is a fault when the exporter is opened', async () => {
  symlinkSync(join(dir, 'target'), join(dir, 'link'));
  const checked = (file: string): Promise<void> =>
    checkEveFile({settings: {url: `eve:${file}`, options: {}}} as unknown as ExporterOptions);
  await expect(checked(join(dir, 'none', 'eve.json'))).rejects.toThrow(/none\/eve\.json: ENOENT; create its folder/);
  await expect(checked(dir)).rejects.toThrow(/EISDIR; it is a folder; name a file in it/);
  await expect(checked(join(dir, 'link'))).rejects.toThrow(/ELOOP; it is a symbolic link/);
  await checked(join(dir, 'eve.json'));
});

test('44-5 maxBytes and keep bound the files', async () => {
  const exporter = opened(join(dir, 'eve.json'), {maxBytes: '1MiB', keep: '2'});
  for (let n = 0; n < 5; n++) await exporter.send([itemOf(n, 'x'.repeat(700_000))], never);
  await exporter.close();
  expect(readdirSync(dir).sort()).toEqual(['eve.json', 'eve.json.1', 'eve.json.2']);
  expect(['eve.json.2', 'eve.json.1', 'eve.json'].map(name => numbersIn(join(dir, name)))).toEqual([[2], [3], [4]]);
});

test('44-5 a failure names the file and what to do, and may end', async () => {
  const file = join(dir, 'later', 'eve.json');
  await expect(opened(file).send([itemOf(1)], never)).rejects.toMatchObject({
    code: 'unavailable',
    message: `${file}: ENOENT; create its folder`,
  });
  await expect(opened(dir).send([itemOf(1)], never)).rejects.toMatchObject({
    message: expect.stringContaining('EISDIR'),
  });
});

describe('the URL', () => {
  const kind = EVE_KINDS['eve'];
  test.each([
    ['eve:/var/log/eve.json', undefined],
    ['eve:///var/log/eve.json', undefined],
    ['eve:/var/log/a%20b.json', undefined],
    ['eve:eve.json', 'must have an absolute path; write eve:/FOLDER/FILE'],
    ['eve://host/eve.json', 'has no path; write eve:/FOLDER/FILE'],
    ['eve:/var/log/', 'must name a file, without "//" and ".."; write eve:/FOLDER/FILE'],
    ['eve:/var/..%2Flog', 'must name a file, without "//" and ".."; write eve:/FOLDER/FILE'],
    ['eve:/var//log', 'must name a file, without "//" and ".."; write eve:/FOLDER/FILE'],
    ['eve:/a%00b', 'has no path; write eve:/FOLDER/FILE'],
    ['eve:/a%ff', 'has no path; write eve:/FOLDER/FILE'],
    ['eve:/a#b', 'must have no fragment; write # as %23'],
  ])('44-5 %s', (url, fault) => expect(kind?.check(new URL(url))).toBe(fault));

  test.each([
    ['maxBytes', '1MiB', true],
    ['maxBytes', '2GiB', true],
    ['maxBytes', '1048575', false],
    ['maxBytes', '1 MB', false],
    ['keep', '1', true],
    ['keep', '0', false],
    ['keep', '1001', false],
    ['keep', '1.5', false],
  ])('44-5 %s=%s', (name, text, isValid) => expect(kind?.options[name]?.check(text) === undefined).toBe(isValid));
});
