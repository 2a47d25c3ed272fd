// SPDX-License-Identifier: Apache-2.0
/**
 * From the packet to its record: how long after a packet was sent to the endpoint its threat comes out of a follow stream of the API.
 * Alone (nothing came for a second), lightly loaded, and under many alerts; random gaps between packets. Aim: p95 of 50 ms or less.
 * Runs itself again in a network namespace of its own, where UDP 4789 is free: needs root and Suricata, otherwise says so.
 */
import {execFileSync, spawnSync} from 'node:child_process';
import {createSocket, type Socket} from 'node:dgram';
import {get} from 'node:http';
import {loadavg} from 'node:os';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {udpDatagram} from '@palisade/sensor/testing';
import {median, percentile, printFigure} from '../figures.ts';
import {cpuMs, until} from '../processes.ts';
import {ALERT_PORT, ALERT_WORD, type AlertServer, openAlertServer} from './server.ts';

const SELF = fileURLToPath(import.meta.url);
const VXLAN_PORT = 4789;
const ROUNDS = 3;
const LATE_MS = 20_000;
const TICK_MS = 5;
type Load = {readonly name: string; readonly perSecond: number; readonly seconds: number};
const LOADS: readonly Load[] = [
  {name: 'alone', perSecond: 0.8, seconds: 12},
  {name: '10_per_s', perSecond: 10, seconds: 10},
  {name: '200_per_s', perSecond: 200, seconds: 4},
  {name: '2000_per_s', perSecond: 2_000, seconds: 4},
];

/** Each packet is of a source of its own, and so a record of its own. */
const sourceOf = (number: number): string => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

const datagramOf = (vni: number, client: string): Buffer => {
  const header = Buffer.from('0800000000000000', 'hex');
  header.writeUInt32BE(vni * 256, 4);
  const ends = {client, server: '192.0.2.1', serverPort: ALERT_PORT};
  return Buffer.concat([header, udpDatagram(ends, 'client', Buffer.from(ALERT_WORD))]);
};

/** When which source's record came. */
const follow = (url: string): Promise<{readonly came: Map<string, number>; readonly end: () => void}> =>
  new Promise((resolve, reject) => {
    const came = new Map<string, number>();
    const request = get(`${url}/threats?follow=true`, response => {
      const lines = createInterface({input: response});
      lines.on('error', () => undefined); // it is ended by us
      lines.on('line', line => {
        const source = /"source_ip_address":"([^"]*)"/.exec(line)?.[1];
        if (source !== undefined) came.set(source, performance.now());
      });
      resolve({came, end: () => request.destroy()});
    });
    request.on('error', reject);
  });

let next = 1;

/** When each source's packet was sent. Gaps are random (exponential), below a tick several at once; one after the other when alone. */
const sendAll = async (
  socket: Socket,
  {ip, vni}: AlertServer,
  {perSecond, seconds}: Load,
): Promise<Map<string, number>> => {
  const sent = new Map<string, number>();
  const finish = performance.now() + seconds * 1000;
  const gapMs = (): number => (perSecond < 1 ? 1000 / perSecond : (-Math.log(1 - Math.random()) * 1000) / perSecond);
  for (let due = performance.now(); due < finish; ) {
    for (; due <= performance.now() && due < finish; due += gapMs()) {
      const client = sourceOf(next++);
      sent.set(client, performance.now());
      socket.send(datagramOf(vni, client), VXLAN_PORT, ip);
    }
    await delay(Math.max(Math.min(due - performance.now(), 1000), perSecond > 100 ? TICK_MS : 0));
  }
  return sent;
};

type Round = {readonly p50: number; readonly p95: number; readonly cpu: number; readonly samples: number};

const roundOf = async (server: AlertServer, came: Map<string, number>, load: Load): Promise<Round> => {
  const socket = createSocket('udp4');
  const [from, cpuFrom] = [performance.now(), cpuMs(server.pid)];
  const sent = await sendAll(socket, server, load);
  const cpu = ((cpuMs(server.pid) - cpuFrom) * 100) / (performance.now() - from);
  await until('records of all packets', async () => [...sent.keys()].every(source => came.has(source)), LATE_MS);
  socket.close();
  const times = [...sent].map(([source, at]) => (came.get(source) ?? Number.NaN) - at);
  return {p50: percentile(times, 0.5), p95: percentile(times, 0.95), cpu, samples: times.length};
};

const benchLatency = async (): Promise<void> => {
  const server = await openAlertServer();
  const {came, end} = await follow(server.url);
  try {
    const rounds = new Map<string, Round[]>(LOADS.map(({name}) => [name, []]));
    for (let i = 0; i < ROUNDS; i++)
      for (const load of LOADS) {
        await delay(1_000);
        const round = await roundOf(server, came, load);
        rounds.get(load.name)?.push(round);
        console.error(
          `bench: records-latency: ${load.name}: p95 ${round.p95.toFixed(1)} ms, load average ${loadavg()[0]}`,
        );
      }
    for (const [name, all] of rounds) {
      const n = all.reduce((sum, {samples}) => sum + samples, 0);
      const print = (what: string, unit: string, of: (round: Round) => number): void =>
        printFigure({
          name: `record_latency_${name}_${what}`,
          unit,
          value: Math.round(median(all.map(of)) * 10) / 10,
          n,
        });
      print('p50', 'ms', ({p50}) => p50);
      print('p95', 'ms', ({p95}) => p95);
      print('server_cpu', '%', ({cpu}) => cpu);
    }
  } finally {
    end();
    await server.close();
  }
};

if (process.argv[2] === 'inside') {
  execFileSync('ip', ['link', 'set', 'lo', 'up']);
  await benchLatency();
} else if (process.getuid?.() !== 0 || spawnSync('suricata', ['-V']).status !== 0)
  console.error('bench: records-latency is left out: it needs root (a network namespace) and Suricata');
else process.exitCode = spawnSync('unshare', ['-n', process.execPath, SELF, 'inside'], {stdio: 'inherit'}).status ?? 1;
