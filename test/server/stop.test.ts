// SPDX-License-Identifier: Apache-2.0
/** SIGTERM at any time: the server ends with 0, and nothing that it started stays. */
import {type ChildProcess, spawn} from 'node:child_process';
import {chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {PALISADE, quiet, scratch, serve} from '../support/palisade.ts';

/** A stand-in for Suricata that never comes to a verdict on rules, and tells its process id. */
const endlessSuricata = (dir: string): {readonly path: string; readonly pid: () => number | undefined} => {
  const bin = join(dir, 'bin');
  const pidFile = join(dir, 'verifying');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'suricata'),
    `#!/bin/sh\nif [ "$1" = -V ]; then echo "This is Suricata version 7.0.10 RELEASE"; exit; fi\necho $$ >'${pidFile}.new'; mv '${pidFile}.new' '${pidFile}'; exec sleep 3600\n`,
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
