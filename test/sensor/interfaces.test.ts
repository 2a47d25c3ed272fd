// SPDX-License-Identifier: Apache-2.0
/** Mirrored packets that arrive on a card of their own, which has neither an address nor a default route. Real Suricata. */
import {describe, expect, test} from 'vitest';
import {ipIn, Lab, LabFolder, LabNetwork, newSpec, skipReason, whyNot} from './lab/lab.ts';
import {hit, SEVERITY_RULES} from './lab/rules.ts';
import {sendFromOutside} from './lab/send-from-outside.ts';

const LIMIT_MS = 30_000;
const IP = '10.77.0.1';

/** `mir0` of the server's network gets what another network sends to the addresses of the pool. */
const joined = (network: LabNetwork, outside: LabNetwork): void => {
  const peer = ['peer', 'name', 'mir1', 'netns', String(outside.pid)];
  ipIn(network, 'link', 'add', 'mir0', 'type', 'veth', ...peer);
  ipIn(network, 'link', 'set', 'mir0', 'up');
  ipIn(network, 'route', 'add', 'local', '10.77.0.0/24', 'dev', 'lo');
  ipIn(network, 'route', 'add', '10.99.0.0/24', 'dev', 'mir0');
  ipIn(outside, 'link', 'set', 'mir1', 'up');
  ipIn(outside, 'address', 'add', '10.99.0.1/24', 'dev', 'mir1');
  ipIn(outside, 'route', 'add', '10.77.0.0/24', 'dev', 'mir1');
};

describe.skipIf(whyNot !== undefined)(`interfaces that packets arrive on${skipReason}`, () => {
  const begin = async (lab: Lab, folder: LabFolder, captureInterfaces: readonly string[]) => {
    const rules = [folder.file('a.rules', SEVERITY_RULES)];
    await lab.ask('create', folder.options({rules, driver: 'afpacket-bpf', captureInterfaces}));
    const spec = newSpec({ip: IP});
    await lab.ask('start', spec);
    return spec;
  };

  test('43-1 afpacket-bpf reads a card of its own for the mirror without being asked to', async () => {
    using folder = new LabFolder();
    using network = await LabNetwork.open();
    using outside = await LabNetwork.open();
    joined(network, outside);
    await using lab = new Lab({within: network});
    const spec = await begin(lab, folder, []);
    sendFromOutside(outside.pid, IP, spec.vni, hit('one'), 3);
    await lab.ask('until', {alerts: 3}, LIMIT_MS);
    await lab.ask('until', {received: 3, endpoint: spec.endpoint}, LIMIT_MS);
    expect(await lab.health(spec)).toMatchObject({status: 'READY', packets: {dropped: 0, foreignVni: 0}});
  });

  test('43-1 afpacket-bpf that reads another one names the flag, and counts the packets under their own name', async () => {
    using folder = new LabFolder();
    using network = await LabNetwork.open();
    using outside = await LabNetwork.open();
    joined(network, outside);
    await using lab = new Lab({within: network});
    const spec = await begin(lab, folder, ['lo']);
    sendFromOutside(outside.pid, IP, spec.vni, hit('one'), 8);
    const {endpoint} = spec;
    const words = '^packets arrive, but not at lo: name the interface that they arrive on with --capture-interface$';
    await lab.ask('until', {reason: words, status: 'DEGRADED', endpoint}, LIMIT_MS);
    const {packets, reasons} = await lab.health(spec);
    expect(packets).toMatchObject({received: 8, dropped: 8, drops: {notCaptured: 8, crash: 0}, foreignVni: 0});
    expect(reasons.join()).not.toContain('crashed');
  });
});
