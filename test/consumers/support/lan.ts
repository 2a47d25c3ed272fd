// SPDX-License-Identifier: Apache-2.0
/** Machines on one switch, each a network namespace. The switch is on the hub, which has an address as well; the cable of a machine can be cut. */
import {Network} from './network.ts';

export const HUB = '192.0.2.10';
const BITS = 24;
const SWITCH = 'switch';
const WIRE = 'wire';

export type Machine = {
  readonly name: string;
  readonly ip: string;
  readonly network: Network;
  cut(): void;
  mend(): void;
};

export class Lan implements AsyncDisposable {
  readonly hub: Network;
  readonly #machines: Machine[] = [];

  private constructor(hub: Network) {
    this.hub = hub;
    hub.run('ip', 'link', 'add', SWITCH, 'type', 'bridge');
    hub.run('ip', 'address', 'add', `${HUB}/${BITS}`, 'dev', SWITCH);
    hub.run('ip', 'link', 'set', SWITCH, 'up');
  }

  static async open(): Promise<Lan> {
    return new Lan(await Network.open());
  }

  async add(name: string, ip: string): Promise<Machine> {
    const {hub} = this;
    const network = await Network.open();
    const cable = (state: 'up' | 'down'): void => void hub.run('ip', 'link', 'set', name, state);
    const machine = {name, ip, network, cut: () => cable('down'), mend: () => cable('up')};
    this.#machines.push(machine);
    hub.run('ip', 'link', 'add', name, 'master', SWITCH, 'type', 'veth', 'peer', 'name', WIRE, 'netns', network.pid);
    network.run('ip', 'address', 'add', `${ip}/${BITS}`, 'dev', WIRE);
    network.run('ip', 'link', 'set', WIRE, 'up');
    machine.mend();
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const {network} of this.#machines) await network[Symbol.asyncDispose]();
    await this.hub[Symbol.asyncDispose]();
  }
}
