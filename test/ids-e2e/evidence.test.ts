// SPDX-License-Identifier: Apache-2.0
/** What an analyst is shown of the demo's attack: `palisade threats show`, its API, and capture files that tcpdump reads. Real Suricata. */
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {ServerLab} from './lab/server-lab.ts';
import {noPacketsReason, whyNoPackets} from './lab/with-tcpdump.ts';

const PARENT = 'projects/p/locations/local';
const GUARD = `${PARENT}/endpoints/guard`;
const ATTACK = resolve('examples/shop/traffic/attack.pcap');
const LIMIT_MS = 30_000;

const sqlInjection = async (lab: ServerLab): Promise<Json> => {
  const found = async (): Promise<Json> => {
    const {threats = []} = (await lab.rest.get(`${GUARD}/threats`)).body;
    return threats.find(({name}: Json) => /SQL injection/i.test(name));
  };
  await expect.poll(found, {timeout: LIMIT_MS, interval: 200}).toBeDefined();
  return found();
};

describe.skipIf(whyNoPackets !== undefined)(`evidence of the demo's attack${noPacketsReason}`, () => {
  test.each([
    ['payload', 'has the payload in a made-up packet'],
    ['pcap', 'has the packets of the flow'],
  ])('44-2 --evidence %s: threats show prints the request line, and tcpdump reads its packets', async (kind, said) => {
    await using lab = await ServerLab.open({flags: ['--evidence', kind]});
    const folder = mkdtempSync(join(tmpdir(), 'palisade-evidence-'));
    try {
      await lab.rest.created(PARENT, 'guard', {severity: 'INFORMATIONAL'});
      expect(await lab.palisade('replay', ATTACK, '--endpoint', 'guard', '--rate', '500')).toMatchObject({code: 0});
      const {id, threat_id: threatId} = await sqlInjection(lab);
      const file = join(folder, 'alert.pcap');
      const {code, stdout, stderr} = await lab.palisade('threats', 'show', id, '--pcap', file);
      expect([code, stderr]).toEqual([0, expect.stringContaining(said)]);
      expect(stdout).toMatch(/^request +GET \/\S+ HTTP\/1\.1$/m);
      expect(stdout).toMatch(/^ {2}alert http .*sid:\d+;.*\)$/m);
      const dump = execFileSync('tcpdump', ['-nn', '-r', file], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [, request = ''] = /^request +(.*)$/m.exec(stdout) ?? [];
      expect(dump).toContain(`HTTP: ${request}`);
      const {body} = await lab.rest.get(`${GUARD}/threats/${id}`);
      expect(body).toMatchObject({
        threat_id: threatId,
        evidence: {http: {http_method: 'GET'}, payload: {printable: expect.stringContaining('GET /')}},
        rule: {revision: body.rule_revision, text: expect.stringContaining(`sid:${threatId.split(':')[1]};`)},
      });
      expect(body.rule).not.toHaveProperty('changed');
      expect(body.community_id).toBe(body.evidence.community_id);
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  test('44-2 --evidence none: the record is there, nothing else is, and it says so', async () => {
    await using lab = await ServerLab.open({flags: ['--evidence', 'none']});
    await lab.rest.created(PARENT, 'guard', {severity: 'INFORMATIONAL'});
    await lab.palisade('replay', ATTACK, '--endpoint', 'guard', '--rate', '500');
    const {id} = await sqlInjection(lab);
    const shown = await lab.palisade('threats', 'show', id);
    expect(shown.stdout).toMatch(/^evidence +not kept: the server runs with --evidence none; start it with /m);
    expect(shown.stdout).not.toContain('request ');
    const pcap = await lab.palisade('threats', 'show', id, '--pcap', '/dev/null');
    expect([pcap.code, pcap.stderr]).toEqual([1, expect.stringContaining('start the server with --evidence pcap')]);
  });
});
