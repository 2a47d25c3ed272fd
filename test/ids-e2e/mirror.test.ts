// SPDX-License-Identifier: Apache-2.0
/** `palisade mirror` and `palisade test-threat` between real network namespaces, with tc, a real server and Suricata. */
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {guideLines, type Host, MirrorLab, nameOf, SOURCE_FOR_CLIENT, SOURCE_FOR_SENSOR} from './lab/mirror-lab.ts';
import {noPacketsReason, whyNoPackets} from './lab/with-tcpdump.ts';

/** VXLAN, and VXLAN in VXLAN: the protocol of the inner packet is at byte 59 of the outer one, its destination port at 72. */
const MIRRORED = 'udp dst port 4789';
const MIRROR_OF_MIRROR = `${MIRRORED} and ip[59]=17 and ip[72:2]=4789`;

describe.skipIf(whyNoPackets !== undefined)(`mirrors${noPacketsReason}`, () => {
  let lab: MirrorLab;
  let ip: string;
  let before: string;
  const spare: string[] = [];

  beforeAll(async () => {
    lab = await MirrorLab.open();
    ip = lab.create('guard');
    lab.create('second');
    lab.create('deaf', {
      severity: 'CRITICAL',
      threatExceptions: ['1:9000211', '1:9000206'],
    });
    before = lab.dump('source');
  });
  afterAll(() => lab?.close());
  afterEach(async () => {
    for (const id of ['guard', 'second']) await lab.palisade('source', ['mirror', nameOf(id), '--remove']);
    for (const folder of spare.splice(0)) rmSync(folder, {recursive: true});
  });

  const succeeds = async (host: Host, ...words: string[]): Promise<string> => {
    const {code, stdout, stderr} = await lab.palisade(host, words);
    expect({code, stderr}, stdout).toEqual({code: 0, stderr: ''});
    return stdout;
  };

  const threatsOf = async (uri: string, id = 'guard'): Promise<string[]> => {
    const filter = `uri_or_filename="${uri}"`;
    const lines = await lab.palisade('sensor', ['threats', '--endpoint', id, '--filter', filter, '--json']);
    return lines.stdout.split('\n').flatMap(line => (line === '' ? [] : [String(JSON.parse(line).threat_id)]));
  };

  test('43-4 --apply mirrors real HTTP, which raises its threat; --remove leaves nothing', async () => {
    expect(await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0')).toContain('a0 is mirrored to');
    lab.get('client', `http://${SOURCE_FOR_CLIENT}/first/etc/passwd`);
    await expect.poll(() => threatsOf('/first/etc/passwd')).toEqual(['1:9000204']);
    expect(await succeeds('source', 'mirror', 'guard', '--remove')).toContain('is removed');
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 the interface that leads to the endpoint is mirrored without an endless loop', async () => {
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a1');
    const [mirrored, loops] = [
      await lab.count('sensor', 's1', MIRRORED),
      await lab.count('sensor', 's1', MIRROR_OF_MIRROR),
    ];
    await succeeds('sensor', 'test-threat', 'guard', '--to', `${SOURCE_FOR_SENSOR}:80`, '--via', 's1');
    expect(await loops()).toBe(0);
    expect(await mirrored()).toBeGreaterThan(10);
  });

  test('43-4 ICMP errors about mirrored packets are not mirrored either', async () => {
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a1');
    lab.exec('sensor', ...`ip route del local 10.77.0.0/24 dev lo`.split(' '));
    lab.exec('sensor', ...`ip route add unreachable 10.77.0.0/24`.split(' '));
    lab.exec('sensor', 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward');
    const errors = await lab.count('sensor', 's1', 'icmp[0]=3');
    const copies = await lab.count('sensor', 's1', `${MIRRORED} and ip[59]=1`);
    lab.get('sensor', `http://${SOURCE_FOR_SENSOR}/unreachable`);
    expect(await errors()).toBeGreaterThan(0);
    expect(await copies()).toBe(0);
    lab.exec('sensor', ...`ip route del unreachable 10.77.0.0/24`.split(' '));
    lab.exec('sensor', ...`ip route add local 10.77.0.0/24 dev lo`.split(' '));
  });

  test('43-4 two endpoints see the same interface, and neither the mirror of the other', async () => {
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a1');
    await succeeds('source', 'mirror', 'second', '--apply', '--from', 'a1');
    const loops = await lab.count('sensor', 's1', MIRROR_OF_MIRROR);
    lab.get('sensor', `http://${SOURCE_FOR_SENSOR}/both/etc/passwd`);
    for (const id of ['guard', 'second'])
      await expect.poll(() => threatsOf('/both/etc/passwd', id)).toEqual(['1:9000204']);
    expect(await loops()).toBe(0);
    await succeeds('source', 'mirror', 'guard', '--remove');
    lab.get('sensor', `http://${SOURCE_FOR_SENSOR}/one/.git/config`); // another rule: equal alerts within seconds are one record
    await expect.poll(() => threatsOf('/one/.git/config', 'second')).toEqual(['1:9000215']);
    await succeeds('source', 'mirror', 'second', '--remove');
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 the commands of the guide run as they are written, on the interface a1 for eth0', async () => {
    const [limit = ''] = guideLines(/^sysctl -w net\.core/);
    expect(limit).toContain('rmem_max=4194304');
    const commands = guideLines(/^palisade (mirror|test-threat)/).map(line => line.replace('eth0', 'a1'));
    expect(commands).toHaveLength(6);
    for (const [, ...words] of commands.map(line => line.split(' ')).filter(words => !words.includes('--to')))
      await succeeds('source', ...words);
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 the printed commands for Linux make a mirror, and those below remove it', async () => {
    const {targets} = JSON.parse(await succeeds('source', 'mirror', 'guard', '--from', 'a0', '--json'));
    const [setUp, takeDown] = targets.linux.sections as {commands: string[]}[];
    lab.exec('source', 'sh', '-ec', setUp?.commands.join('\n') ?? '');
    expect(await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0')).toContain('already mirrored');
    lab.exec('source', 'sh', '-ec', takeDown?.commands.join('\n') ?? '');
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 a second --apply changes nothing, and --remove --from takes one interface away', async () => {
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0');
    const one = lab.dump('source');
    expect(await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0')).toContain('already mirrored');
    expect(lab.dump('source')).toBe(one);
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a1');
    await succeeds('source', 'mirror', 'guard', '--remove', '--from', 'a1');
    expect(lab.dump('source')).toBe(one);
  });

  test('43-4 qdiscs and filters of others stay', async () => {
    lab.exec('source', ...'tc qdisc add dev a0 clsact'.split(' '));
    lab.exec('source', ...'tc filter add dev a0 egress protocol ip pref 20000 u32 match u32 0 0 flowid 1:7'.split(' '));
    const foreign = lab.dump('source');
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0');
    expect(lab.dump('source')).not.toBe(foreign);
    await succeeds('source', 'mirror', 'guard', '--remove');
    expect(lab.dump('source')).toBe(foreign);
    lab.exec('source', ...'tc qdisc del dev a0 clsact'.split(' '));
  });

  /** A folder with a `tc` that fails at one of its commands. */
  const brokenTc = (words: string): string => {
    const folder = mkdtempSync(join(tmpdir(), 'palisade-tc-'));
    spare.push(folder);
    const script = `#!/bin/sh\ncase "$*" in *"${words}"*) echo "Error: out of luck" >&2; exit 2;; esac\nexec /usr/sbin/tc "$@"\n`;
    writeFileSync(join(folder, 'tc'), script);
    chmodSync(join(folder, 'tc'), 0o755);
    return folder;
  };

  test.each(['qdisc add', 'filter add dev a0 ingress protocol all', 'filter add dev a0 egress protocol all'])(
    '43-4 all or nothing: tc fails at "%s"',
    async words => {
      const env = {PATH: `${brokenTc(words)}:${process.env['PATH']}`};
      const {code, stderr} = await lab.palisade('source', ['mirror', 'guard', '--apply', '--from', 'a0'], {env});
      expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining(`tc ${words}`)});
      expect(stderr).toContain('out of luck');
      expect(lab.dump('source')).toBe(before);
    },
  );

  test('43-4 what a killed --apply leaves is found by the name alone, without the server', async () => {
    const commands = await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0', '--dry-run');
    const lines = commands.trim().split('\n');
    expect(lines.length).toBeGreaterThan(8);
    for (let count = 1; count < lines.length; count++) {
      lab.exec(
        'source',
        'sh',
        '-ec',
        lines
          .slice(0, count)
          .join('\n')
          .replaceAll(/^sysctl.*$/gm, ''),
      );
      const word = count === 1 || count % 2 === 0 ? 'guard' : nameOf('guard');
      const {code} = await lab.palisade('source', ['mirror', word, '--remove'], {
        env: {PALISADE_SERVER: 'http://127.0.0.1:1'},
      });
      expect({count, code, dump: lab.dump('source')}).toEqual({count, code: 0, dump: before});
    }
  });

  test('43-4 without the privilege it says so and prints the commands', async () => {
    const dropped = ['setpriv', '--reuid', '65534', '--clear-groups', '--inh-caps=-all', '--bounding-set=-all'];
    const {code, stdout, stderr} = await lab.palisade(
      'source',
      ['mirror', 'guard', '--apply', '--from', 'a0', '--insecure'],
      {
        before: dropped,
      },
    );
    expect(code, stderr).toBe(1);
    expect(stderr).toMatch(/not permitted[\s\S]*root \(CAP_NET_ADMIN\)/);
    expect(stdout).toMatch(/^ip link add pmguard-[0-9a-f]{5} type vxlan id \d+ remote/);
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 on the host of the server, to the relay, with strict reverse path filters', async () => {
    lab.exec('sensor', 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/conf/all/rp_filter');
    const clean = lab.dump('sensor');
    await succeeds('sensor', 'mirror', 'guard', '--apply', '--from', 's1');
    lab.get('sensor', `http://${SOURCE_FOR_SENSOR}/here/etc/passwd`);
    await expect.poll(() => threatsOf('/here/etc/passwd')).toEqual(['1:9000204']);
    await succeeds('sensor', 'mirror', 'guard', '--remove');
    expect(lab.dump('sensor')).toBe(clean);
  });

  test('43-4 an endpoint that was created again with another VNI: --apply puts every interface right', async () => {
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0');
    const [{ifname, ifalias}] = JSON.parse(lab.exec('source', 'ip', '-json', 'link', 'show', 'type', 'vxlan'));
    lab.exec('source', 'ip', 'link', 'del', ifname);
    lab.exec('source', ...`ip link add ${ifname} type vxlan id 4711 remote 10.9.0.2 dstport 4789`.split(' '));
    lab.exec('source', 'ip', 'link', 'set', 'dev', ifname, 'alias', ifalias, 'up');
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a1');
    lab.get('client', `http://${SOURCE_FOR_CLIENT}/again/?q=%3Cscript`);
    await expect.poll(() => threatsOf('/again/?q=%3Cscript')).toEqual(['1:9000209']);
    await succeeds('source', 'mirror', 'guard', '--remove');
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 beside an overlay network that has UDP 4789 and the same VNI', async () => {
    const vni = JSON.parse(await succeeds('source', 'mirror', 'guard', '--json')).vni as number;
    lab.exec('source', ...`ip link add ov type vxlan id ${vni} dstport 4789 nolearning`.split(' '));
    lab.exec('source', ...'ip link set ov up'.split(' '));
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0');
    lab.get('client', `http://${SOURCE_FOR_CLIENT}/beside/.git/config`);
    await expect.poll(() => threatsOf('/beside/.git/config')).toEqual(['1:9000215']);
    expect(await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0')).toContain('already mirrored');
    await succeeds('source', 'mirror', 'guard', '--remove');
    lab.exec('source', ...'ip link del ov'.split(' '));
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 on the host of the server, to a vxlan device with the same VNI, as the driver afpacket has it', async () => {
    const vni = JSON.parse(await succeeds('source', 'mirror', 'guard', '--json')).vni as number;
    lab.exec('source', ...`ip route add local ${ip}/32 dev lo`.split(' '));
    lab.exec('source', ...`ip link add capture type vxlan id ${vni} local ${ip} dstport 4789 nolearning`.split(' '));
    lab.exec('source', ...'ip link set capture up'.split(' '));
    await succeeds('source', 'mirror', 'guard', '--apply', '--from', 'a0');
    const captured = await lab.count('source', 'capture', 'tcp port 80');
    lab.get('client', `http://${SOURCE_FOR_CLIENT}/device`);
    expect(await captured()).toBeGreaterThan(7);
    await succeeds('source', 'mirror', 'guard', '--remove');
    lab.exec('source', ...'ip link del capture'.split(' '));
    lab.exec('source', ...`ip route del local ${ip}/32 dev lo`.split(' '));
    expect(lab.dump('source')).toBe(before);
  });

  test('43-4 test-threat: made-up packets raise a record, from the server and from another host', async () => {
    for (const host of ['sensor', 'source'] as const) {
      const said = JSON.parse(await succeeds(host, 'test-threat', 'guard', '--json'));
      expect(said).toMatchObject({
        found: true,
        endpointIp: ip,
        threat: {uri_or_filename: expect.stringContaining(said.marker)},
      });
    }
  });

  test('43-4 test-threat says that exceptions and the severity hide the record', async () => {
    const {code, stderr} = await lab.palisade('sensor', ['test-threat', 'deaf', '--timeout', '5s']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/alerts were below the severity CRITICAL/);
    expect(stderr).toMatch(/alerts were hidden by exceptions \(1:9000211, 1:9000206\)/);
  });

  test('43-4 test-threat says that nothing arrived', async () => {
    lab.exec('source', ...`ip route add ${ip}/32 via 10.1.1.2`.split(' '));
    const {code, stderr} = await lab.palisade('source', ['test-threat', 'guard', '--timeout', '1s']);
    lab.exec('source', ...`ip route del ${ip}/32`.split(' '));
    expect(code).toBe(1);
    expect(stderr).toContain(`no packet arrived at ${ip}: check the route to it (ip route get ${ip})`);
  });
});

describe.skipIf(whyNoPackets !== undefined)(`mirrors to the driver afpacket${noPacketsReason}`, () => {
  let lab: MirrorLab;
  beforeAll(async () => {
    lab = await MirrorLab.open('afpacket');
    lab.create('guard');
  });
  afterAll(() => lab?.close());

  test.each([
    ['source', 'a1', 'sensor', SOURCE_FOR_SENSOR],
    ['sensor', 's1', 'sensor', SOURCE_FOR_SENSOR],
  ] as const)('43-4 from %s, interface %s', async (host, dev, client, server) => {
    const before = lab.dump(host);
    const applied = await lab.palisade(host, ['mirror', 'guard', '--apply', '--from', dev]);
    expect(applied, applied.stderr).toMatchObject({code: 0});
    const proof = await lab.palisade(client, ['test-threat', 'guard', '--to', `${server}:80`]);
    expect(proof, proof.stderr).toMatchObject({code: 0, stdout: expect.stringContaining('recorded after')});
    const removed = await lab.palisade(host, ['mirror', 'guard', '--remove']);
    expect(removed, removed.stderr).toMatchObject({code: 0});
    expect(lab.dump(host)).toBe(before);
  });
});
