// SPDX-License-Identifier: Apache-2.0
/** SIGTERM at any time: the server ends with 0, and nothing that it started stays. */
import {type ChildProcess, spawn} from 'node:child_process';
import {on} from 'node:events';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {describe, expect, test} from 'vitest';
import {PALISADE, quiet, type Ready, scratch, serve} from '../support/palisade.ts';

/** A stand-in for Suricata that never comes to a verdict on rules, and tells its process id. */
const endlessSuricata = (dir: string): {readonly path: string; readonly pid: () => number | undefined} => {
  const bin = join(dir, 'bin');
  const pidFile = join(dir, 'verifying');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'suricata'),
    `#!/bin/sh\nif [ "$1" = -V ]; then echo "This is Suricata version 7.0.10 RELEASE"; exit; fi\n[ "$1" = -T ] || exit 1\necho $$ >'${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sleep 3600\n`,
  );
  chmodSync(join(bin, 'suricata'), 0o755);
  chmodSync(dir, 0o777); // the stand-in runs as the user of Suricata
  return {
    path: `${bin}:${process.env['PATH']}`,
    pid: () => (existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : undefined),
  };
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const ended = (child: ChildProcess): Promise<[number | null, string]> => {
  let stdout = '';
  child.stdout?.on('data', chunk => {
    stdout += String(chunk);
  });
  return new Promise(resolve => child.once('close', code => resolve([code, stdout])));
};

describe('SIGTERM', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s while --rules are verified ends the start with 0, and the verification',
    async signal => {
      using folder = scratch();
      const suricata = endlessSuricata(folder.dir);
      const rules = join(folder.dir, 'my.rules');
      writeFileSync(rules, 'alert tcp any any -> any any (msg:"ok"; content:"x"; sid:9100001;)\n');
      const child = spawn(PALISADE, ['serve', ...quiet(folder.dir), '--rules', rules], {
        env: {...process.env, PATH: suricata.path},
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const end = ended(child);
      await expect.poll(suricata.pid, {timeout: 30_000}).toBeDefined();
      child.kill(signal);
      expect(await end).toEqual([0, '']);
      expect(isRunning(suricata.pid() ?? 0)).toBe(false);
      await using again = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
      expect((await fetch(`${again.ready.http}/readyz`)).status).toBe(200);
    },
  );

  test('SIGINT to the whole group, as Ctrl-C sends it, while a certificate is issued ends the start with 0', async () => {
    using folder = scratch();
    const pidFile = join(folder.dir, 'issuing');
    const hang = join(folder.dir, 'hang.cjs');
    writeFileSync(
      hang,
      `if (/issue-certificates/.test(process.argv[1])) {
        require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }`,
    );
    const child = spawn(PALISADE, ['serve', ...quiet(folder.dir), '--https', '127.0.0.1:0', '--apis', 'kubernetes'], {
      env: {...process.env, NODE_OPTIONS: `--require ${hang}`},
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const end = ended(child);
    const issuer = (): number => Number(existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : 0);
    await expect.poll(issuer, {timeout: 30_000}).toBeGreaterThan(0);
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await end).toEqual([0, '']);
    expect(isRunning(issuer())).toBe(false);
  });

  test('and SIGINT at the same moment are one word; timeout of GNU signals child and group', async () => {
    using folder = scratch();
    const server = await serve([...quiet(folder.dir), '--apis', 'kubernetes']);
    process.kill(server.ready.pid, 'SIGTERM');
    expect(await server.stop('SIGINT')).toBe(0);
  });

  test('while a ready server still verifies its rules does not wait for the verdict', async () => {
    using folder = scratch();
    const suricata = endlessSuricata(folder.dir);
    const server = await serve(quiet(folder.dir), {env: {PATH: suricata.path}});
    await expect.poll(suricata.pid, {timeout: 30_000}).toBeDefined();
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(isRunning(suricata.pid() ?? 0)).toBe(false);
    expect(server.stderr()).toBe('');
  });
});

test('a server in a terminal that is closed drains and stops, though its log can no longer be written', async () => {
  using folder = scratch();
  const command = `exec ${PALISADE} serve --data ${folder.dir}/data --http 127.0.0.1:0 --auth none --apis kubernetes`;
  const terminal = spawn('script', ['--quiet', '--command', `${command} 2>&1`, '/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = on(createInterface({input: terminal.stdout}), 'line') as AsyncIterable<[string]>;
  let pid = 0;
  for await (const [line] of lines) {
    const said = JSON.parse(line) as Partial<Ready>;
    if (said.ready !== true) continue;
    pid = said.pid ?? 0;
    break;
  }
  try {
    const addressFile = join(folder.dir, 'data/server.json');
    expect(existsSync(addressFile)).toBe(true);
    terminal.kill('SIGKILL'); // the kernel then sends SIGHUP to what runs in it
    await expect.poll(() => existsSync(addressFile), {timeout: 10_000}).toBe(false);
    await expect.poll(() => isRunning(pid), {timeout: 10_000}).toBe(false);
  } finally {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
});
