// SPDX-License-Identifier: Apache-2.0
import {PassThrough, Readable} from 'node:stream';
import {startJsonServer} from '@palisade/client/testing';
import {toAlias} from '@palisade/ids-wire/mirror';
import type {RunProgram} from '@palisade/server/run-program';
import {describe, expect, test} from 'vitest';
import {UsageError} from '../command-line/io.ts';
import {runMirror} from './mirror.ts';
import {runTestThreat} from './test-threat.ts';

const NAME = 'projects/p/locations/local/endpoints/guard';

type Said = {readonly code: number; readonly stdout: string; readonly stderr: string};

/** `palisade mirror` against a server whose endpoint has this address and driver. */
const mirror = async (
  words: readonly string[],
  {
    ip = '10.77.0.1',
    driver = 'relay',
    run,
    name = NAME,
  }: {ip?: string; driver?: string; run?: RunProgram; name?: string} = {},
): Promise<Said> => {
  await using server = await startJsonServer(({path}) =>
    path.endsWith('/endpoints')
      ? {status: 200, body: {endpoints: [{name: NAME}]}}
      : {
          status: 200,
          body: path.endsWith('/health')
            ? {vni: 77, driver, status: 'READY'}
            : {name: NAME, state: 'READY', endpointIp: ip},
        },
  );
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = {stdin: Readable.from([]), stdout, stderr, env: {PALISADE_SERVER: server.url}, cwd: '/'};
  const code = await runMirror([name, ...words], io, run === undefined ? undefined : () => run);
  return {code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '')};
};

describe('what is printed', () => {
  test('43-4 Linux: the commands with address, VNI and the interface of --from', async () => {
    const {code, stdout} = await mirror(['--target', 'linux', '--from', 'ens5']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ip link add pmguard-[0-9a-f]{5} type vxlan id 77 remote 10\.77\.0\.1 dstport 4789 nolearning$/m,
    );
    expect(stdout).toMatch(/^tc filter add dev ens5 egress protocol all .* action mirred egress mirror/m);
    expect(stdout).toContain('type geneve id 77 remote 10.77.0.1 dstport 6081');
    expect(stdout).not.toContain('aws ec2');
  });

  test('43-4 a loopback address: that other hosts cannot reach it, and the way out', async () => {
    const {stdout} = await mirror([], {ip: '127.77.0.1'});
    expect(
      stdout.match(/127\.77\.0\.1: addresses in 127\.0\.0\.0\/8 are reachable from the host of the server only/g),
    ).toHaveLength(3);
    expect(stdout).toContain('start the server with --endpoint-pool');
    expect(stdout).toContain('type veth peer name');
  });

  test('43-4 AWS: target, filter and session with the VNI; what a Gateway Load Balancer needs', async () => {
    const {stdout} = await mirror(['--target', 'aws']);
    for (const target of ['network-interface-id', 'network-load-balancer-arn', 'gateway-load-balancer-endpoint-id'])
      expect(stdout).toContain(`create-traffic-mirror-target --${target} `);
    expect(stdout).toMatch(/create-traffic-mirror-session .* --session-number 1 --virtual-network-id 77$/m);
    expect(stdout).toMatch(/GENEVE on UDP 6081 with VNI 0, and VXLAN inside\. The server needs --accept-any-vni/);
  });

  test('43-4 Google Cloud: what each service delivers, and what does not work', async () => {
    const {stdout} = await mirror(['--target', 'gcp'], {driver: 'afpacket'});
    expect(stdout).toContain('gcloud compute packet-mirrorings create palisade --region=REGION');
    expect(stdout).toContain('palisade mirror guard --apply --from ens4');
    expect(stdout).toContain('Packet Mirroring delivers the packets as they are, without VXLAN');
    expect(stdout).toContain('afpacket, takes no GENEVE: start the server with --driver relay or afpacket-bpf');
  });

  test('43-4 JSON has every target as commands', async () => {
    const said = JSON.parse((await mirror(['--json'])).stdout);
    expect(said).toMatchObject({endpoint: NAME, endpointIp: '10.77.0.1', vni: 77, driver: 'relay'});
    expect(Object.keys(said.targets)).toEqual(['linux', 'aws', 'gcp']);
    expect(said.targets.linux.sections[0].commands[0]).toMatch(/^ip link add/);
  });
});

test.each(['10.77.0.1; reboot', '$(reboot)', 'fd00::1', ''])(
  '43-4 an address that is not valid (%j) gets into no command',
  async ip => {
    await expect(mirror([], {ip})).rejects.toThrow(/not an IPv4 address of an endpoint; check that --server names/);
  },
);

describe('--remove', () => {
  const other = 'projects/p/locations/local/endpoints/other';
  const hostWith =
    (links: readonly object[]): RunProgram =>
    async argv => ({code: 0, stdout: argv.includes('link') ? JSON.stringify(links) : '[]', stderr: ''});
  const mirrored = hostWith([{ifname: 'pmother', flags: ['UP'], ifalias: toAlias({endpoint: other, clsact: []})}]);

  test('43-4 a name that neither host nor server knows is an error, with what is mirrored', async () => {
    await expect(mirror(['--remove'], {name: 'nope', run: mirrored})).rejects.toThrow(
      `nope is not mirrored on this host; this host mirrors to ${other}\nnope: no IDS endpoint has this ID`,
    );
  });

  test('43-4 an endpoint of the server without a mirror is removed already', async () => {
    for (const name of ['guard', NAME]) {
      const {code, stderr} = await mirror(['--remove'], {name, run: mirrored});
      expect([code, stderr]).toEqual([
        0,
        `palisade: ${name} is not mirrored on this host; this host mirrors to ${other}\n`,
      ]);
    }
  });

  test('43-4 a host without mirrors needs no server', async () => {
    const {code, stderr} = await mirror(['--remove'], {name: 'nope', run: hostWith([])});
    expect([code, stderr]).toEqual([0, 'palisade: nope is not mirrored on this host; this host has no mirrors\n']);
  });
});

describe('--apply', () => {
  /** A host with these links, and a way to the endpoint. */
  const hostWith =
    (links: readonly object[], route: object, ran: string[] = []): RunProgram =>
    async argv => {
      const line = argv.join(' ');
      const answers: Readonly<Record<string, unknown>> = {
        'ip -json -details link show': links,
        'tc -json qdisc show': [],
        'ip -json route get 10.77.0.1': [route],
      };
      if (answers[line] !== undefined) return {code: 0, stdout: JSON.stringify(answers[line]), stderr: ''};
      ran.push(line);
      return {code: 2, stdout: '', stderr: 'RTNETLINK answers: Operation not permitted'};
    };
  const eth0 = {ifname: 'eth0', flags: ['UP']};

  test('43-4 an interface that does not exist: those that do', async () => {
    const run = hostWith([eth0], {dev: 'eth0'});
    await expect(mirror(['--apply', '--from', 'eth9'], {run})).rejects.toThrow(
      '--from eth9: this host has no such interface; it has eth0',
    );
  });

  test.each(['vlan', 'wireguard'])('43-4 the way through a %s device over the interface would not end', async kind => {
    const run = hostWith([eth0, {ifname: 'up0', flags: ['UP'], linkinfo: {info_kind: kind}}], {dev: 'up0'});
    await expect(mirror(['--apply', '--from', 'eth0'], {run})).rejects.toThrow(
      /copied again, without end; mirror up0 instead/,
    );
  });

  test('43-4 the driver that cannot see a mirror on its own host', async () => {
    const run = hostWith([eth0], {dev: 'lo', type: 'local'});
    await expect(mirror(['--apply', '--from', 'eth0'], {run, driver: 'afpacket-bpf'})).rejects.toThrow(
      /afpacket-bpf does not see packets of a mirror on its own host: start the server with --driver relay/,
    );
  });

  test('43-4 a failure after an earlier mirror was removed says that it is not restored', async () => {
    const old = {
      ifname: 'pmold',
      flags: ['UP'],
      ifalias: toAlias({endpoint: NAME, clsact: []}),
      linkinfo: {info_kind: 'vxlan'},
    };
    const asked = hostWith([eth0, old], {dev: 'eth0'});
    const ran: string[] = [];
    const run: RunProgram = async argv => {
      if (argv.includes('-json')) return asked(argv);
      ran.push(argv.join(' '));
      return argv.includes('del') ? {code: 0, stdout: '', stderr: ''} : {code: 2, stdout: '', stderr: 'no memory'};
    };
    await expect(mirror(['--apply', '--from', 'eth0'], {run})).rejects.toThrow(
      /: no memory\nthe previous mirror to .*guard, which did not fit, is removed and not restored: end the cause/,
    );
    expect(ran[0]).toBe('ip link del pmold');
  });

  test('43-4 --dry-run prints the commands and runs none', async () => {
    const ran: string[] = [];
    const run = hostWith([eth0], {dev: 'eth0'}, ran);
    const {code, stdout} = await mirror(['--apply', '--from', 'eth0', '--dry-run'], {run});
    expect(code).toBe(0);
    expect(stdout).toContain('tc qdisc add dev eth0 clsact\n');
    expect(ran).toEqual([]);
  });

  test('43-4 output of tc that is not JSON', async () => {
    const run: RunProgram = async () => ({code: 0, stdout: '[{"kind":', stderr: ''});
    await expect(mirror(['--apply', '--from', 'eth0'], {run})).rejects.toThrow(
      /prints no valid JSON; update the package iproute2/,
    );
  });

  test('43-4 without iproute2', async () => {
    const run: RunProgram = async () => ({code: 127, stdout: '', stderr: ''});
    await expect(mirror(['--apply', '--from', 'eth0'], {run})).rejects.toThrow(
      'ip is not installed; install the package iproute2',
    );
  });
});

const io = {stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough(), env: {}, cwd: '/'};

test('43-4 every fault of the command line at once', async () => {
  await expect(runMirror(['--apply', '--remove', '--target', 'aws'], io)).rejects.toThrow(
    new UsageError(
      [
        'an ENDPOINT is required: its ID or full name',
        '--apply and --remove exclude each other',
        '--apply needs --from IFACE, the interface to mirror',
        '--target aws: --apply and --remove work on Linux only',
      ].join('\n'),
    ),
  );
  await expect(runMirror(['guard', '--dry-run', '--from', 'a;b'], io)).rejects.toThrow(
    '--dry-run needs --apply or --remove\n--from a;b: must be the name of an interface, such as eth0',
  );
  await expect(runTestThreat(['--via', 'eth0', '--timeout', 'x'], io)).rejects.toThrow(
    'an ENDPOINT is required: its ID or full name\n--timeout x: must be a time from 1ms to 10m, such as 30s\n--via eth0 needs --to HOST:PORT',
  );
});
