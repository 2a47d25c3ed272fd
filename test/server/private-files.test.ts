// SPDX-License-Identifier: Apache-2.0
/** The data folder of a server, whatever its mode and the umask: nobody else reads it, and Suricata, another user, what it needs. */
import {chmodSync, mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {quiet, scratch, serve} from '../support/palisade.ts';

const RULE = 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n';

/** Modes of what another user could reach. */
const openTo = (folder: string): string[] =>
  readdirSync(folder, {withFileTypes: true}).flatMap(entry => {
    const path = join(folder, entry.name);
    const mode = statSync(path).mode & 0o777;
    const isClosed = (mode & 0o077) === 0;
    if (entry.isDirectory()) return isClosed ? [] : openTo(path);
    return isClosed ? [] : [`${path} ${mode.toString(8)}`];
  });

const withUmask = async <T>(umask: number, work: () => Promise<T>): Promise<T> => {
  const before = process.umask(umask);
  try {
    return await work();
  } finally {
    process.umask(before);
  }
};

test('in an open folder that was there before, no file is open to others; a folder that was left open is closed with a warning', async () => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  const rules = join(folder.dir, 'my.rules');
  writeFileSync(rules, RULE);
  chmodSync(folder.dir, 0o755);
  mkdirSync(data);
  chmodSync(data, 0o755);
  const flags = [...quiet(folder.dir), '--https', '127.0.0.1:0', '--rules', rules];
  const first = await withUmask(0, () => serve(flags));
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['store.sqlite', 'store.sqlite-wal', 'store.sqlite-lock']));
  expect(openTo(data)).toEqual([]);
  expect(await first.stop()).toBe(0);
  expect(first.stderr()).toBe('');
  for (const name of ['store.sqlite', 'store.sqlite-lock']) chmodSync(join(data, name), 0o644);
  await using second = await serve(flags);
  expect(openTo(data)).toEqual([]);
  expect(second.stderr().trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(second.stderr())).toMatchObject({
    level: 40,
    files: [join(data, 'store.sqlite'), join(data, 'store.sqlite-lock')],
  });
});

test('with a umask of 077 Suricata reads its rules and configuration', async () => {
  using folder = scratch();
  const rules = join(folder.dir, 'my.rules');
  writeFileSync(rules, RULE);
  await using server = await withUmask(0o077, () => serve([...quiet(folder.dir), '--rules', rules]));
  expect(server.stderr()).toBe('');
});
