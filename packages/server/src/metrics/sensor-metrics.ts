// SPDX-License-Identifier: Apache-2.0
/**
 * The sensors of a host in `/metrics`. Labels: the endpoint, and a word of a fixed list.
 * Counters are made of what is on disk, so a server that is started again after a crash does not show less than the one before it: a
 * monitoring system would take that for a counter that began at 0, and count everything twice.
 */
import type {Counted, SensorHealth, SuricataSensorHost} from '@palisade/sensor';
import {Counter, Gauge, type Registry} from 'prom-client';

export type ShownSensors = Pick<SuricataSensorHost, 'endpoints' | 'health' | 'counted'>;

/** By the value of the second label; '' for a metric without one. Undefined: the driver cannot count it. */
type Values = Readonly<Record<string, number | undefined>>;
type SensorCounter = {
  readonly help: string;
  readonly label?: 'cause' | 'outcome';
  readonly read: (counted: Counted, health: SensorHealth) => Values;
};

const COUNTERS: Readonly<Record<string, SensorCounter>> = {
  packets_received_total: {
    help: 'Mirrored packets that arrived for an IDS endpoint, with the dropped ones.',
    read: ({packets}) => ({'': packets.received}),
  },
  received_bytes_total: {
    help: 'Bytes of mirrored frames that were received for an IDS endpoint.',
    read: ({packets}) => ({'': packets.bytes}),
  },
  packets_dropped_total: {
    help: 'Mirrored packets that were not inspected, by the place where they were dropped.',
    label: 'cause',
    read: ({packets}) => packets.drops,
  },
  packets_malformed_total: {
    help: 'Packets for an IDS endpoint that have no readable VXLAN or GENEVE header.',
    read: ({packets}) => ({'': packets.malformed}),
  },
  packets_foreign_vni_total: {
    help: 'Packets with the VNI of another endpoint, which are not inspected.',
    read: ({packets}, health) => ({'': health.packets.foreignVni === undefined ? undefined : packets.foreignVni}),
  },
  packets_refused_sender_total: {
    help: 'Packets of senders that may not send, which are not inspected.',
    read: ({packets}, health) => ({'': health.packets.refusedSender === undefined ? undefined : packets.refusedSender}),
  },
  packets_not_inspectable_total: {
    help: 'Packets with a frame in VXLAN that Suricata cannot inspect with this capture driver.',
    read: ({packets}, health) => ({
      '': health.packets.notInspectable === undefined ? undefined : packets.notInspectable,
    }),
  },
  blind_seconds_total: {
    help: 'Seconds in which mirrored packets were not inspected, or alerts were lost.',
    read: ({blindSeconds}) => ({'': blindSeconds}),
  },
  alerts_total: {
    help: 'Alerts of an IDS endpoint, by outcome.',
    label: 'outcome',
    read: ({counters: {stored, filtered, excepted, lost}}) => ({stored, filtered, excepted, lost}),
  },
  suricata_alerts_total: {
    help: "Suricata's own counts of its alerts.",
    label: 'outcome',
    read: ({engine}) => ({
      written: engine?.counted ?? 0,
      discarded: engine?.discarded ?? 0,
      suppressed: engine?.suppressed ?? 0,
    }),
  },
  flows_sampled_out_total: {
    help: 'Flows that made no traffic record, because --traffic-sample records a part of them.',
    read: ({flows}) => ({'': flows?.sampledOut ?? 0}),
  },
  restarts_total: {
    help: 'Restarts of Suricata since the server started the sensor.',
    read: (_, health) => ({'': health.restarts}),
  },
};

const GAUGES: Readonly<Record<string, {readonly help: string; readonly read: (health: SensorHealth) => number}>> = {
  packet_loss_ratio: {
    help: 'Share of the packets of the last minute that were dropped, 0 to 1.',
    read: health => health.packetLossRatio,
  },
  ready: {help: '1 if the sensor of the IDS endpoint is ready.', read: health => (health.status === 'READY' ? 1 : 0)},
};

const showCounter = (name: string, counter: SensorCounter, host: ShownSensors, registers: Registry[]): void => {
  const {help, label, read} = counter;
  new Counter({
    name: `palisade_sensor_${name}`,
    help,
    labelNames: label === undefined ? ['endpoint'] : ['endpoint', label],
    registers,
    collect() {
      this.reset();
      for (const endpoint of host.endpoints()) {
        const [counted, health] = [host.counted(endpoint), host.health(endpoint)];
        if (counted === undefined || health === undefined) continue;
        for (const [value, count] of Object.entries(read(counted, health)))
          if (count !== undefined) this.inc(label === undefined ? {endpoint} : {endpoint, [label]: value}, count);
      }
    },
  });
};

export const showSensors = (host: ShownSensors, registers: Registry[]): void => {
  for (const [name, counter] of Object.entries(COUNTERS)) showCounter(name, counter, host, registers);
  for (const [name, {help, read}] of Object.entries(GAUGES))
    new Gauge({
      name: `palisade_sensor_${name}`,
      help,
      labelNames: ['endpoint'],
      registers,
      collect() {
        this.reset();
        for (const endpoint of host.endpoints()) {
          const health = host.health(endpoint);
          if (health !== undefined) this.set({endpoint}, read(health));
        }
      },
    });
};
