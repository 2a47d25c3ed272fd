// SPDX-License-Identifier: Apache-2.0
/** Which capture driver is used, and why one is not. */
import {BUNDLED_RULES, type CaptureDriver} from '@palisade/sensor';
import {describe, expect, test} from 'vitest';
import {devicesIn, ipIn, Lab, type LabFailure, LabFolder, LabNetwork, newSpec, skipReason, whyNot} from './lab/lab.ts';
import type {LabOptions} from './lab/protocol.ts';
import {SEVERITY_RULES} from './lab/rules.ts';

const failureOf = async (work: Promise<unknown>): Promise<LabFailure> => {
  try {
    await work;
  } catch (error) {
    return error as LabFailure;
  }
  throw new Error('it did not fail');
};

describe.skipIf(whyNot !== undefined)(`the choice of a capture driver${skipReason}`, () => {
  const asRoot = undefined;
  test.each<[string, readonly string[] | undefined, Partial<LabOptions>, CaptureDriver]>([
    ['root', asRoot, {}, 'afpacket'],
    ['CAP_NET_ADMIN and CAP_NET_RAW', ['net_admin', 'net_raw'], {}, 'afpacket'],
    ['CAP_NET_RAW alone', ['net_raw'], {}, 'afpacket-bpf'],
    ['no capability', [], {}, 'relay'],
    ['any VNI, which a device of the kernel cannot take', asRoot, {acceptAnyVni: true}, 'afpacket-bpf'],
    ['limited senders, as a device takes any', asRoot, {mirrorFrom: ['127.0.0.0/8']}, 'afpacket-bpf'],
  ])('43-1 auto with %s takes the best that works', async (_, capabilities, more, driver) => {
    using folder = new LabFolder();
    await using lab = new Lab(capabilities === undefined ? {} : {asNobody: folder, capabilities});
    const options = folder.options({rules: BUNDLED_RULES, driver: 'auto', ...more});
    expect(await lab.ask('create', options)).toMatchObject({driver});
    expect(devicesIn(lab)).toEqual([]);
  });

  test('43-1 auto in a container whose network belongs to the host takes the relay: its capabilities do not count there', async () => {
    using folder = new LabFolder();
    await using lab = new Lab({asOtherRoot: true});
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    expect(await lab.ask('create', folder.options({rules, driver: 'auto'}))).toMatchObject({driver: 'relay'});
    await lab.ask('start', newSpec());
    expect((await lab.ask('logs')).map(({fields}) => fields)).toContainEqual({
      driver: 'afpacket-bpf',
      why: expect.stringMatching(/^packets of this network cannot be read \(.*Operation not permitted/),
    });
  });

  test.each<[CaptureDriver, readonly string[] | undefined, Partial<LabOptions>, string]>([
    ['afpacket', [], {}, 'CAP_NET_ADMIN'],
    ['afpacket', ['net_admin'], {}, 'CAP_NET_RAW not permitted'],
    ['afpacket-bpf', [], {}, ': start the server as root, or give it that as an ambient capability; or use auto'],
    [
      'afpacket-bpf',
      asRoot,
      {captureInterfaces: ['nope0']},
      '--capture-interface nope0: there is no such interface, only lo: name one of these, or create it first',
    ],
    ['afpacket', asRoot, {acceptAnyVni: true}, '--accept-any-vni: use --driver afpacket-bpf or relay'],
    ['afpacket', asRoot, {mirrorFrom: ['10.0.0.0/8']}, '--mirror-from: use --driver afpacket-bpf or relay'],
  ])(
    '43-1 %s asked for by name with %j is refused, and says what is missing: %j',
    async (driver, capabilities, more, words) => {
      using folder = new LabFolder();
      await using lab = new Lab(capabilities === undefined ? {} : {asNobody: folder, capabilities});
      const failure = await failureOf(lab.ask('create', folder.options({rules: BUNDLED_RULES, driver, ...more})));
      expect(failure).toMatchObject({code: 'driver-unavailable', message: expect.stringContaining(words)});
    },
  );

  test('43-1 auto that takes a driver without capture interfaces warns that the flag has no effect', async () => {
    using folder = new LabFolder();
    await using lab = new Lab();
    const captureInterfaces = ['nope0'];
    await lab.ask('create', folder.options({rules: BUNDLED_RULES, driver: 'auto', captureInterfaces}));
    expect(await lab.ask('logs')).toContainEqual({
      level: 'warn',
      message: '--capture-interface not used, this driver takes any interface',
      fields: {driver: 'afpacket', captureInterfaces},
    });
  });

  test('43-1 a VNI or an address that cannot be had is an error of the address, and nothing stays', async () => {
    using folder = new LabFolder();
    using network = await LabNetwork.open();
    await using lab = new Lab({within: network});
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, driver: 'afpacket'}));
    ipIn(network, 'link', 'add', 'other', 'type', 'vxlan', 'id', '4711', 'dstport', '4789');
    const taken = await failureOf(lab.ask('start', newSpec({vni: 4711})));
    expect(taken).toMatchObject({code: 'address', message: expect.stringContaining('has the VNI 4711 already')});
    const foreign = await failureOf(lab.ask('start', newSpec({ip: '192.0.2.1'})));
    expect(foreign).toMatchObject({code: 'address', message: expect.stringContaining('is not on this host')});
    expect(devicesIn(network)).toEqual(['other']);
  });
});
