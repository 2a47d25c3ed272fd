// SPDX-License-Identifier: Apache-2.0
/** The REST API with the real sensor behind it: progress, change in place under traffic, nothing left behind. */
import {describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {skipReason, whyNot} from '../sensor/lab/lab.ts';
import {oneOfEach, SEVERITY_RULES} from '../sensor/lab/rules.ts';
import {ServerLab} from './lab/server-lab.ts';

const PARENT = 'projects/p/locations/local';
const EVENT_MS = 30_000;

/** Until stopped: a packet for each rule and then the next round, each round of a source of its own. */
class Traffic {
  sent = 0;
  round = 0;
  readonly #done: Promise<void>;
  #stopped = false;

  constructor(lab: ServerLab, to: {ip: string; vni: number}) {
    this.#done = this.#run(lab, to);
  }

  static source(round: number): string {
    return `10.20.${Math.floor(round / 250)}.${(round % 250) + 1}`;
  }

  async #run(lab: ServerLab, to: {ip: string; vni: number}): Promise<void> {
    while (!this.#stopped) {
      this.round += 1;
      this.sent += await lab.send(to, oneOfEach({client: Traffic.source(this.round), server: '10.9.0.2'}));
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }
}

const patched = async (lab: ServerLab, name: string, updateMask: string, body: object): Promise<void> => {
  const {status, body: operation, text} = await lab.rest.patch(name, {updateMask}, body);
  expect(status, text).toBe(200);
  expect((await lab.rest.done(operation)).error).toBeUndefined();
};

const threatsFrom = async (lab: ServerLab, name: string, round: number): Promise<string[]> => {
  const filter = `source_ip_address="${Traffic.source(round)}"`;
  const {threats = []} = (await lab.rest.get(`${name}/threats`, {filter})).body;
  return threats.map((t: Json) => t.threat_id).toSorted();
};

/** The threats of a round that began after this call, when all that the settings let through are there. */
const seenNow = async (lab: ServerLab, name: string, traffic: Traffic, expected: readonly string[]): Promise<void> => {
  const round = traffic.round + 2;
  await expect.poll(() => threatsFrom(lab, name, round), {timeout: EVENT_MS}).toEqual(expected);
  // The round after it is complete too, so nothing of this one is still to come.
  await expect.poll(() => threatsFrom(lab, name, round + 1), {timeout: EVENT_MS}).toEqual(expected);
  expect(await threatsFrom(lab, name, round)).toEqual(expected);
};

describe.skipIf(whyNot !== undefined)(`the API with real sensors${skipReason}`, () => {
  test('I-112 I-118 severity, exceptions and trafficLogs change under traffic: they act, no packet is lost, Suricata goes on', async () => {
    await using lab = await ServerLab.open({rules: SEVERITY_RULES});
    const endpoint = await lab.rest.created(PARENT, 'e1', {severity: 'CRITICAL'});
    const name: string = endpoint.name;
    const before = await lab.health(name);
    expect(before).toMatchObject({status: 'READY', restarts: 0, pid: expect.any(Number)});
    const traffic = new Traffic(lab, {ip: endpoint.endpointIp, vni: before.vni});
    await seenNow(lab, name, traffic, ['1:1']);
    await patched(lab, name, 'severity', {severity: 'HIGH'});
    await seenNow(lab, name, traffic, ['1:1', '1:2', '1:6']);
    await patched(lab, name, 'threatExceptions', {threatExceptions: ['1:2', '6']});
    await seenNow(lab, name, traffic, ['1:1']);
    await patched(lab, name, 'severity,threatExceptions', {severity: 'INFORMATIONAL', threatExceptions: ['1:1']});
    await seenNow(lab, name, traffic, ['1:2', '1:3', '1:4', '1:5', '1:6', '1:7', '2:1']);
    expect((await lab.rest.get(`${name}/traffic`)).body).toEqual({});
    await patched(lab, name, 'trafficLogs', {trafficLogs: true});
    await expect
      .poll(async () => (await lab.rest.get(`${name}/traffic`)).body.traffic?.length ?? 0, {timeout: 60_000})
      .toBeGreaterThan(0);
    await patched(lab, name, 'labels,description', {labels: {a: 'b'}, description: 'seen'});
    await traffic.stop();
    await expect.poll(async () => (await lab.health(name)).packets.received, {timeout: EVENT_MS}).toBe(traffic.sent);
    await expect.poll(async () => (await lab.health(name)).alerts.seen, {timeout: EVENT_MS}).toBe(traffic.sent);
    const after = await lab.health(name);
    expect(after.packets).toMatchObject({received: traffic.sent, dropped: 0, malformed: 0, foreignVni: 0});
    expect(after.alerts.lost).toBe(0);
    expect([after.pid, after.restarts, after.status, after.reasons]).toEqual([before.pid, 0, 'READY', []]);
  });

  test('I-075 create to READY says what is being done, in order, and READY means a running Suricata', async () => {
    await using lab = await ServerLab.open();
    const steps = [
      /^allocating an address$/,
      /^Verifying the rule set$/,
      /^Opening the intake at 127\.77\.0\.\d+$/,
      /^Waiting for a free slot to start Suricata 7\./,
      /^Starting Suricata 7\..*: loading \d+ rules$/,
      /^Suricata is ready: packets are accepted at 127\.77\.0\.\d+, \d+ rules are loaded$/,
      /^recording that the endpoint is ready$/,
    ];
    const created = (await lab.rest.create(PARENT, 'e1')).body;
    const said: string[] = [];
    let operation = created;
    while (operation.done !== true) {
      const message: string = operation.metadata.statusMessage ?? '';
      if (message !== '' && said.at(-1) !== message) said.push(message);
      operation = (await lab.rest.get(created.name)).body;
    }
    const places = said.map(message => steps.findIndex(step => step.test(message)));
    expect(places, said.join(' | ')).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(
      said.some(message => message.startsWith('Starting Suricata')),
      said.join(' | '),
    ).toBe(true);
    expect(operation.response).toMatchObject({state: 'READY', endpointIp: expect.stringMatching(/^127\.77\.0\./)});
    const health = await lab.health(`${PARENT}/endpoints/e1`);
    expect(health).toMatchObject({status: 'READY', rulesFailed: 0});
    expect(health.rulesLoaded).toBeGreaterThan(0);
    process.kill(health.pid, 0); // throws when there is no such process
  });

  test('I-074 24 endpoints created, cancelled and deleted in random order leave no process, socket, folder, address or VNI behind', async () => {
    // 14 addresses for 24 endpoints: one that is not given back makes a later create fail.
    await using lab = await ServerLab.open({rules: SEVERITY_RULES, flags: ['--endpoint-pool', '127.77.0.0/28']});
    const seed = Date.now() % 1_000_000;
    let state = seed;
    const below = (n: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const live: string[] = [];
    const vnis = new Set<number>();
    const remove = async (name: string): Promise<void> => {
      expect((await lab.rest.done((await lab.rest.delete(name)).body)).error, `seed ${seed}`).toBeUndefined();
    };
    for (let made = 0; made < 24; ) {
      const ids = Array.from({length: Math.min(1 + below(4), 24 - made)}, () => ({
        id: `e${made++}`,
        cancel: below(4) === 0,
      }));
      await Promise.all(
        ids.map(async ({id, cancel}) => {
          const operation = (await lab.rest.create(PARENT, id)).body;
          if (cancel) await lab.rest.post(`${operation.name}:cancel`, {});
          const {error} = await lab.rest.done(operation);
          expect([undefined, 1], `seed ${seed}`).toContain(error?.code);
          if (error === undefined) live.push(`${PARENT}/endpoints/${id}`);
        }),
      );
      for (const name of live) vnis.add((await lab.health(name)).vni);
      const goers = live.length > 6 ? live.length - 3 : below(live.length + 1);
      const gone = Array.from({length: goers}, () => live.splice(below(live.length), 1)[0] ?? '');
      await Promise.all(gone.map(remove));
      expect(lab.leftBehind().folders, `seed ${seed}`).toHaveLength(live.length);
    }
    await Promise.all(live.map(remove));
    expect(lab.leftBehind(), `seed ${seed}`).toEqual({processes: [], sockets: [], folders: []});
    expect((await lab.rest.get(`${PARENT}/endpoints`)).body).toEqual({});
    // Every address is free again: as many creates as there are addresses are given one.
    const ips = await Promise.all(
      Array.from({length: 14}, async (_, i) => (await lab.rest.created(PARENT, `z${i}`)).endpointIp as string),
    );
    expect(new Set(ips).size, `seed ${seed}`).toBe(14);
    expect(lab.leftBehind().sockets).toHaveLength(2 * 14); // VXLAN and GENEVE
    expect(lab.leftBehind().processes).toHaveLength(14);
    await Promise.all(ips.map((_, i) => remove(`${PARENT}/endpoints/z${i}`)));
    expect(lab.leftBehind(), `seed ${seed}`).toEqual({processes: [], sockets: [], folders: []});
  });
});
