// SPDX-License-Identifier: Apache-2.0
/** Commands whose output nobody reads any more, or that a full device does not take. */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {PALISADE, run, scratch} from '../support/palisade.ts';

type Place = {readonly env: Record<string, string>; readonly cwd?: string};

/** Runs a command whose stdout, and stderr if asked, has no reader from the start. */
const unread = async (
  words: readonly string[],
  {env, cwd}: Place = {env: {}},
  unreadToo?: 'stderr',
): Promise<{code: number | null; stderr: string}> => {
  // The shell waits for a word until the readers are gone.
  const child = spawn('sh', ['-c', 'read _; exec "$0" "$@"', PALISADE, ...words], {env: {...process.env, ...env}, cwd});
  let stderr = '';
  child.stderr.on('data', chunk => {
    stderr += String(chunk);
  });
  const closed = [child.stdout, ...(unreadToo === 'stderr' ? [child.stderr] : [])].map(stream => {
    stream.destroy();
    return once(stream, 'close');
  });
  await Promise.all(closed);
  const ended = once(child, unreadToo === 'stderr' ? 'exit' : 'close');
  child.stdin.end('go\n');
  const [code] = (await ended) as [number | null];
  return {code, stderr};
};

test.each([['--help'], ['up --help'], ['version --json']])('%s ends quietly without a reader', async words => {
  expect(await unread(words.split(' '))).toEqual({code: 0, stderr: ''});
});

test('a full device is told in one line, with exit code 1', async () => {
  const full = await run(['-c', '"$0" version >/dev/full', PALISADE], {command: 'sh'});
  expect(full).toEqual({
    code: 1,
    stdout: '',
    stderr: 'palisade: the output cannot be written: no space is left on the device (ENOSPC)\n',
  });
});

/** A stack in a backend of its own, and a program that gives one output. */
const stackIn = async (dir: string): Promise<Place & {readonly cwd: string; readonly backend: string}> => {
  const [cwd, backend] = [join(dir, 'program'), join(dir, 'backend')];
  for (const made of [cwd, backend]) mkdirSync(made);
  symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'Pulumi.yaml'), 'name: p\nruntime: {name: nodejs, options: {typescript: false}}\n');
  writeFileSync(join(cwd, 'index.js'), 'exports.done = "yes";\n');
  const env = {
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_HOME: join(dir, 'home'),
    PULUMI_CONFIG_PASSPHRASE: 'x',
    PALISADE_SERVER: 'http://127.0.0.1:1',
  };
  expect((await run(['stack', 'init', 'dev'], {env, cwd})).code).toBe(0);
  return {env, cwd, backend};
};

test('a command that goes on to its end over a full device fails in the end', async () => {
  using folder = scratch();
  const {env, cwd} = await stackIn(folder.dir);
  const full = await run(['-c', '"$0" stack export >/dev/full', PALISADE], {command: 'sh', env, cwd});
  expect([full.code, full.stderr]).toEqual([1, expect.stringContaining('the output cannot be written')]);
});

test('a fault after the end of a command is not taken for success', async () => {
  using folder = scratch();
  const late = join(folder.dir, 'late.mjs');
  writeFileSync(late, "process.once('beforeExit', () => { throw new Error('late fault'); });\n");
  const ended = await run(['version'], {env: {NODE_OPTIONS: `--import=${late}`}});
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('late fault')]);
});

test('notes that nobody reads, or that find no room, change nothing', async () => {
  expect((await unread(['nonsense'], {env: {}}, 'stderr')).code).toBe(2);
  expect((await run(['-c', '"$0" nonsense 2>/dev/full', PALISADE], {command: 'sh'})).code).toBe(2);
});

test('up without a reader goes on to its end: the state is saved and the lock released', async () => {
  using folder = scratch();
  const {env, cwd, backend} = await stackIn(folder.dir);
  expect((await unread(['up', '--yes'], {env, cwd}, 'stderr')).code).toBe(0);
  expect(readFileSync(join(backend, '.pulumi/stacks/p/dev.json'), 'utf8')).toContain('"done":"yes"');
  const left = readdirSync(join(backend, '.pulumi/locks'), {recursive: true, withFileTypes: true});
  expect(left.filter(entry => entry.isFile())).toEqual([]);
});

test('serve goes on when nobody reads its ready line', async () => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  const ended = unread(['serve', '--data', data, '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'kubernetes']);
  const served = (): {http: string; pid: number} => JSON.parse(readFileSync(join(data, 'server.json'), 'utf8'));
  await expect.poll(async () => (await fetch(`${served().http}/readyz`)).status, {timeout: 30_000}).toBe(200);
  process.kill(served().pid, 'SIGTERM');
  expect(await ended).toEqual({code: 0, stderr: expect.stringContaining('draining')});
});
