// SPDX-License-Identifier: Apache-2.0
/** What `make demo` leaves its user with. */
import {mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findGround, hostGround} from '../../tools/demo-checks.ts';
import {DEMO_STACK, demoHints, demoState} from '../../tools/demo-hints.ts';
import {serverLeftUp, startServer} from '../../tools/demo-server.ts';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

const PROGRAM = `
const platform = require('@palisade/platform');
new platform.core.v1.Endpoints('web', {metadata: {name: 'web'}, subsets: [{addresses: [{ip: '10.20.0.10'}], ports: [{port: 80}]}]});
`;

/** A copy of what the hints need of the repository. */
function layOut(root: string): void {
  const shop = join(root, 'examples/shop');
  for (const folder of [shop, join(root, 'build/demo/state')]) mkdirSync(folder, {recursive: true});
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  symlinkSync(resolve('build/sdk/node_modules'), join(shop, 'node_modules'));
  writeFileSync(join(shop, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\nmain: index.js\n');
  writeFileSync(join(shop, 'index.js'), PROGRAM);
}

test('with KEEP=1 the hint for the program works when pasted at the root, also for who has no stack selected', async () => {
  using folder = scratch();
  const root = mkdtempSync(join(folder.dir, 'the root '));
  layOut(root);
  await using server = await serve(quiet(folder.dir));
  const init = ['stack', 'init', DEMO_STACK, '--cwd', join(root, 'examples/shop')];
  const env = {...demoState(root), PULUMI_HOME: join(folder.dir, 'demo')};
  expect(await run(init, {env})).toMatchObject({code: 0});
  const lines = demoHints(server.ready);
  const at = lines.findIndex(line => line.startsWith('your program:'));
  expect(lines[at]).toContain('change examples/shop/index.ts');
  expect(lines.slice(-2)).toEqual(['', `Open the console in a browser: ${server.ready.console}`]);
  const command = lines
    .slice(at + 1, lines.indexOf('', at))
    .map(line => line.trim())
    .join('\n');
  const pasted = await run(['-c', command], {
    command: 'bash',
    cwd: root,
    env: {HOME: join(folder.dir, 'user'), PULUMI_HOME: '', PULUMI_BACKEND_URL: '', PALISADE_SERVER: ''},
  });
  expect(pasted.code, pasted.stderr).toBe(0);
  const web = await fetch(`${server.ready.http}/api/v1/namespaces/default/endpoints/web`);
  expect(web.status).toBe(200);
});

test('without KEEP nothing of the demo is left to work on: the program goes on with the next one', () => {
  expect(demoHints(undefined).join('\n')).toMatch(/your program: +change examples\/shop\/index\.ts, then: make demo$/);
});

test('without KEEP an address comes after how to start the server that has it', () => {
  const lines = demoHints(undefined);
  const serve = lines.findIndex(line => / serve .*--http 127\.0\.0\.1:8080$/.test(line));
  expect(lines[0]).toContain('has stopped');
  expect(lines.findIndex(line => line.includes('make demo KEEP=1'))).toBeGreaterThan(0);
  expect(serve).toBeGreaterThan(0);
  expect(lines.findIndex(line => line.includes('8080'))).toBe(serve);
});

test('a server that an earlier demo left up is found while it runs', async () => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  expect(await serverLeftUp(data)).toBeUndefined();
  const server = await serve(quiet(folder.dir));
  expect(await serverLeftUp(data)).toEqual({pid: server.ready.pid});
  await server.stop('SIGKILL');
  expect(await serverLeftUp(data)).toBeUndefined();
});

describe('46-3 a check takes a dead address out', () => {
  test.for([
    ['where the demo runs it', findGround],
    ['on addresses of this machine', hostGround],
  ] as const)('%s', async ([, find], {skip}) => {
    const ground = find();
    if (ground === undefined) return skip('this machine has no address but loopback, which no check connects to');
    using folder = scratch();
    const {prefix, port, addresses} = ground;
    const program = [process.execPath, resolve('tools/demo-checks.ts'), folder.dir, `${port}`, ...addresses];
    const [command = '', ...args] = [...prefix, ...program];
    const {code, stdout, stderr} = await run(args, {command});
    expect([code, stderr]).toEqual([0, '']);
    const all = addresses.length;
    const [before = '', after = ''] = stdout.split('\n$ kill -9 ');
    expect(before).toMatch(new RegExp(`\nweb +${all}/${all} `));
    expect(after).toMatch(new RegExp(`\nweb +${all - 1}/${all} `));
    const dead = addresses.at(-1) ?? '';
    expect(after).toContain(`${dead} at port http`);
    expect([before, after].map(text => text.includes(`${dead}:`) || text.includes(`[${dead}]:`))).toEqual([
      true,
      false,
    ]);
  });
});

/** One that has ended may stay in the table of processes for as long as its new parent does not ask. */
const isRunning = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch {
    return false;
  }
};

/** Resolves when the process that serves the folder has ended. */
const endServerIn = async (data: string): Promise<void> => {
  const server = await serverLeftUp(data);
  if (server === undefined) return;
  process.kill(server.pid);
  await expect.poll(() => isRunning(server.pid), {timeout: 30_000}).toBe(false);
};

test('a server that stays up does not hold the output of the demo open', async () => {
  const folder = scratch();
  const data = join(folder.dir, 'data');
  onTestFinished(async () => {
    await endServerIn(data).finally(() => folder[Symbol.dispose]());
  });
  const of = {palisade: resolve('node_modules/.bin/palisade'), data, log: join(folder.dir, 'serve.log')};
  const program = `
    import {startServer} from ${JSON.stringify(resolve('tools/demo-server.ts'))};
    const {ready} = await startServer(${JSON.stringify(of)});
    console.log(JSON.stringify(ready));
    process.exit();
  `;
  const demo = await run(['--input-type=module', '-e', program], {command: process.execPath}); // until its output ends
  const {pid} = JSON.parse(demo.stdout) as {pid: number};
  expect(await serverLeftUp(data)).toEqual({pid});
});

test.each([
  ['ends at once', 'exit 3', 'the server ended with exit code 3 before it was ready: see LOG'],
  [
    'says something else',
    'echo hello; exec sleep 60',
    "the server's first line is not its ready line (hello): see LOG",
  ],
])('a server that %s is told at once, and does not stay', async (_, script, message) => {
  using folder = scratch();
  const at = (name: string): string => join(folder.dir, name);
  const [palisade, log, pidFile] = [at('palisade'), at('serve.log'), at('pid')];
  writeFileSync(palisade, `#!/bin/sh\necho $$ > ${pidFile}\n${script}\n`, {mode: 0o755});
  await expect(startServer({palisade, data: folder.dir, log})).rejects.toThrow(message.replace('LOG', log));
  await expect.poll(() => isRunning(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
});
