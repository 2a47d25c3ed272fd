// SPDX-License-Identifier: Apache-2.0
import type {Counted, SensorHealth} from '@palisade/sensor';
import {Registry} from 'prom-client';
import {expect, test} from 'vitest';
import {type ShownSensors, showSensors} from './sensor-metrics.ts';

const ENDPOINT = 'projects/p/locations/l/endpoints/e';
const COUNTED: Counted = {
  packets: {
    received: 140,
    bytes: 5000,
    drops: {kernel: 1, socket: 40, queue: 2, crash: 3, stop: 4, notCaptured: 0, engine: 5},
    malformed: 6,
    foreignVni: 7,
    refusedSender: 8,
    notInspectable: 9,
  },
  blindSeconds: 2.5,
  counters: {seen: 10, stored: 4, filtered: 3, excepted: 2, lost: 1},
  engine: {counted: 10, discarded: 9, suppressed: 8},
  flows: {sampledOut: 90},
};
const health = (packets: object): SensorHealth =>
  ({packets, restarts: 2, packetLossRatio: 0.25, status: 'DEGRADED'}) as unknown as SensorHealth;

const seriesOf = async (host: ShownSensors): Promise<string[]> => {
  const registry = new Registry();
  showSensors(host, [registry]);
  const lines = (await registry.metrics()).split('\n').filter(line => line.startsWith('palisade_'));
  return lines.map(line => line.replace(`endpoint="${ENDPOINT}"`, 'E').replace('palisade_sensor_', ''));
};

test('43-3 counters have the figures that are saved, gauges those of now', async () => {
  const now = health({received: 999, foreignVni: 99, refusedSender: 99, notInspectable: 99});
  const host = {endpoints: () => [ENDPOINT], counted: () => COUNTED, health: () => now};
  expect(await seriesOf(host)).toEqual([
    'packets_received_total{E} 140',
    'received_bytes_total{E} 5000',
    'packets_dropped_total{E,cause="kernel"} 1',
    'packets_dropped_total{E,cause="socket"} 40',
    'packets_dropped_total{E,cause="queue"} 2',
    'packets_dropped_total{E,cause="crash"} 3',
    'packets_dropped_total{E,cause="stop"} 4',
    'packets_dropped_total{E,cause="notCaptured"} 0',
    'packets_dropped_total{E,cause="engine"} 5',
    'packets_malformed_total{E} 6',
    'packets_foreign_vni_total{E} 7',
    'packets_refused_sender_total{E} 8',
    'packets_not_inspectable_total{E} 9',
    'blind_seconds_total{E} 2.5',
    'alerts_total{E,outcome="stored"} 4',
    'alerts_total{E,outcome="filtered"} 3',
    'alerts_total{E,outcome="excepted"} 2',
    'alerts_total{E,outcome="lost"} 1',
    'suricata_alerts_total{E,outcome="written"} 10',
    'suricata_alerts_total{E,outcome="discarded"} 9',
    'suricata_alerts_total{E,outcome="suppressed"} 8',
    'flows_sampled_out_total{E} 90',
    'restarts_total{E} 2',
    'packet_loss_ratio{E} 0.25',
    'ready{E} 0',
  ]);
});

test('43-3 what the driver cannot count has no series, and an endpoint that is being opened has none', async () => {
  const uncounted = {endpoints: () => [ENDPOINT], counted: () => COUNTED, health: () => health({})};
  expect((await seriesOf(uncounted)).filter(line => /foreign|refused|inspectable/.test(line))).toEqual([]);
  const opening = {...uncounted, counted: () => undefined, health: () => undefined};
  expect(await seriesOf(opening)).toEqual([]);
});
