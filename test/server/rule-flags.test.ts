// SPDX-License-Identifier: Apache-2.0
/** The flags around rules, at a start of the server and on SIGHUP. */
import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {quiet, run, scratch, serve} from '../support/palisade.ts';

const hasSuricata = ((): boolean => {
  try {
    execFileSync('suricata', ['-V'], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  }
})();
const rule = (sid: number, head = 'any any -> any any'): string => `alert tcp ${head} (msg:"r${sid}"; sid:${sid};)\n`;
const rulesOf = async (server: string): Promise<string[]> => {
  const text = await (await fetch(`${server}/metrics`)).text();
  return text.split('\n').filter(line => line.startsWith('palisade_rules{'));
};

describe.skipIf(!hasSuricata)(`flags of rules${hasSuricata ? '' : ' (skipped: suricata is not installed)'}`, () => {
  test('43-2 an archive from a URL with all flags; SIGHUP reads a changed one again, and a server without the URL has its copy', async () => {
    using folder = scratch();
    const path = (name: string): string => join(folder.dir, name);
    const put = (name: string, text: string): string => {
      writeFileSync(path(name), text);
      return path(name);
    };
    mkdirSync(path('rules'));
    let archive: Buffer = Buffer.alloc(0);
    const pack = (...sids: readonly number[]): void => {
      put(
        'rules/a.rules',
        `${rule(1, '$OWN any -> any $ODD_PORTS')}# ${rule(2)}${sids.map(sid => rule(sid)).join('')}`,
      );
      archive = execFileSync('tar', ['-C', folder.dir, '-czf', '-', 'rules']);
    };
    pack(3, 4);
    const http = createServer((_, response) => response.end(archive));
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/rules.tar.gz`;
    const flags = [
      ...['--rules', url, '--enable-sid', '2', '--disable-sid', '3', 'group:none', '--var', 'OWN=10.0.0.0/8'],
      ...['--var', 'ODD_PORTS=[80,8000:8100]', '--threshold-file', put('t.config', 'suppress gen_id 1, sig_id 2\n')],
      ...['--suricata-include', put('more.yaml', 'flow: {memcap: 64mb}\n')],
    ];
    {
      await using server = await serve([...quiet(folder.dir), ...flags]);
      expect(await rulesOf(server.ready.http)).toContain('palisade_rules{set="default",state="loaded"} 3');
      expect(server.stderr()).toContain('--disable-sid group:none: matches no rule');
      pack(3, 4, 5);
      server.child.kill('SIGHUP');
      await expect.poll(() => rulesOf(server.ready.http)).toContain('palisade_rules{set="default",state="loaded"} 4');
    }
    http.closeAllConnections();
    await new Promise(resolve => http.close(resolve));
    await using again = await serve([...quiet(folder.dir), ...flags]);
    expect(await rulesOf(again.ready.http)).toContain('palisade_rules{set="default",state="loaded"} 4');
    expect(again.stderr()).toMatch(/cannot be fetched \(.*\): the copy of \S+, 0 hours old, is used/);
  });

  test('43-2 each fault of the flags is a line of its own, and the server does not start', async () => {
    using folder = scratch();
    const threshold = join(folder.dir, 't.config');
    writeFileSync(threshold, '\nsupress gen_id 1, sig_id 2\n');
    const words = ['--disable-sid', 'x', '--var', 'HTTP_PORTS=x', '--sensor-memory-max', '5', '--home-net', 'abc'];
    const misused = await run(['serve', ...quiet(folder.dir), ...words]);
    expect([misused.code, misused.stdout]).toEqual([2, '']);
    for (const flag of ['--home-net abc', '--sensor-memory-max 5', '--var HTTP_PORTS: "x"', '--disable-sid x'])
      expect(misused.stderr).toContain(flag);
    const faulty = ['--rules', '/none.rules', '--threshold-file', threshold];
    const refused = await run(['serve', ...quiet(folder.dir), ...faulty]);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr.trim().split('\n')).toEqual([
      'palisade: --rules: Rule file /none.rules: no such file; check the path',
      expect.stringMatching(/^palisade: \S+t\.config, line 2: must be a threshold, rate_filter or suppress/),
    ]);
    const bad = join(folder.dir, 'bad.rules');
    writeFileSync(bad, rule(1, '$NOBODY any -> any any'));
    expect((await run(['serve', ...quiet(folder.dir), '--rules', bad])).stderr).toContain(
      'the address variable $NOBODY is not defined: set it with --var NOBODY=…; fix it or disable it with --disable-sid 1',
    );
  });
});
