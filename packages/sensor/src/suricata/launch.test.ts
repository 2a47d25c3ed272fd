// SPDX-License-Identifier: Apache-2.0
import {execFileSync, spawn} from 'node:child_process';
import {existsSync, readFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {describe, expect, test} from 'vitest';
import {commandOf, findLauncher, type Launcher, missingCapabilities, whyNoCapabilities} from './launch.ts';

const isRoot = process.getuid?.() === 0;
const NOBODY = {uid: 65_534, gid: 65_534};
const runAs = isRoot ? NOBODY : undefined;
const launcher = await findLauncher(runAs);
const without = launcher.setpriv === undefined;

const statusOf = (of: Launcher, names: Parameters<typeof commandOf>[3]): Record<string, string> => {
  const {path, args, user} = commandOf(of, '/bin/cat', ['/proc/self/status'], names);
  const text = execFileSync(path, [...args], {encoding: 'latin1', ...user});
  return Object.fromEntries(text.split('\n').map(line => line.split(/:\s+/, 2) as [string, string]));
};

describe('43-7 the rights of a Suricata process', () => {
  test.skipIf(without || !isRoot)('43-7 are the named user and exactly the named capabilities, for ever', () => {
    const rights = (names: Parameters<typeof commandOf>[3]): unknown => {
      const {Uid, Groups, CapPrm, CapEff, CapBnd, CapAmb, NoNewPrivs} = statusOf(launcher, names);
      return {Uid, Groups: Groups?.trim(), sets: [...new Set([CapPrm, CapEff, CapBnd, CapAmb])], NoNewPrivs};
    };
    const same = {Uid: '65534\t65534\t65534\t65534', Groups: '', NoNewPrivs: '1'};
    expect(rights([])).toEqual({...same, sets: ['0000000000000000']});
    expect(rights(['net_raw'])).toEqual({...same, sets: ['0000000000002000']});
  });

  test('43-7 without setpriv the program is spawned as the user, and no capability can be given', async () => {
    const bare = await findLauncher(NOBODY, ['/nowhere/setpriv']);
    expect(commandOf(bare, '/bin/cat', ['x'], [])).toEqual({path: '/bin/cat', args: ['x'], user: NOBODY});
    expect(await whyNoCapabilities(bare, ['net_raw'])).toContain('setpriv');
  });

  test.skipIf(without || !isRoot)('43-1 the capability that is not permitted is named', async () => {
    const script = `
      import {findLauncher, missingCapabilities, whyNoCapabilities} from ${JSON.stringify(new URL('./launch.ts', import.meta.url).href)};
      const found = await findLauncher(undefined);
      console.log(await whyNoCapabilities(found, ['net_raw']), await missingCapabilities(['net_raw'], 'CapAmb'));`;
    const asNobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', '--bounding-set=-all'];
    const args = [...asNobody, process.execPath, '--input-type=module-typescript', '-e', script];
    const said = execFileSync(launcher.setpriv ?? '', args, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
    expect(said).toMatch(
      /^CAP_NET_RAW not permitted \(.+\): start the server as root, or give it that as an ambient capability \[ 'net_raw' \]/,
    );
    expect(await missingCapabilities(['net_raw'], 'CapEff')).toEqual([]);
  });

  test.skipIf(without)('43-7 it ends when the server is killed', async () => {
    const {path, args} = commandOf(launcher, '/bin/sleep', ['60'], []);
    const script = `
      const child = require('node:child_process').spawn(${JSON.stringify(path)}, ${JSON.stringify(args)}, {detached: true, stdio: 'ignore'});
      child.on('spawn', () => console.log(child.pid));`;
    const server = spawn(process.execPath, ['-e', script], {stdio: ['ignore', 'pipe', 'inherit']});
    const [pid] = await new Promise<string[]>(resolve =>
      createInterface({input: server.stdout}).once('line', line => resolve([line])),
    );
    const command = (): string =>
      existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'latin1') : '';
    // Its own words, not those of setpriv, which sets the signal before it becomes the program.
    await expect.poll(command).toBe('/bin/sleep\0' + '60\0');
    server.kill('SIGKILL');
    await expect.poll(command).toBe('');
  });
});
