// SPDX-License-Identifier: Apache-2.0
/** IDS endpoints with real sensors, and real traffic that raises alerts of each severity. */
import {httpExchange, RULE_TRAFFIC, type Traffic, tcpSession} from '@palisade/sensor/testing';
import {until} from '../../../../bench/processes.ts';
import type {Json} from '../../../ids/rest-client.ts';
import {hit} from '../../../sensor/lab/rules.ts';
import {bundledRulesAnd, type ConsoleServer} from '../console-server.ts';
import {HOSTILE, HOSTILE_ATTRIBUTE, HOSTILE_SCRIPT} from '../hostile.ts';

export const PARENT = 'projects/shop/locations/local';
export const GUARD = `${PARENT}/endpoints/guard`;
export const EDGE = `${PARENT}/endpoints/edge`;

const STREAM_PORT = 7777;
const WAIT_MS = 60_000;
/** Markup in a message of a rule, where neither quotes nor semicolons are permitted. */
const HOSTILE_RULE = `alert http any any -> any any (msg:"TEST ${HOSTILE}"; flow:established,to_server; http.uri; content:"/hostile"; classtype:web-application-attack; sid:1000001; rev:1;)`;
/** Raised by `streamAlerts`: each packet is a flow, and each source a record. */
const STREAM_RULE = `alert udp any any -> any ${STREAM_PORT} (msg:"TEST stream"; content:"palisade-one"; classtype:attempted-recon; sid:1000002; rev:1;)`;
/** Loads with a fault, so the rules page has a skipped rule. */
const BROKEN_RULE = 'alert tcp any any -> any any (msg:"TEST broken"; no_such_keyword; sid:1000003; rev:1;)';

/** The bundled rules, one whose message is markup, one for streams and one that no sensor takes: for `startConsoleServer`. */
export const IDS_RULES = bundledRulesAnd([HOSTILE_RULE, STREAM_RULE, BROKEN_RULE].join('\n'));

const pairOf = (index: number): {client: string; server: string} => ({
  client: `198.51.100.${(index % 200) + 1}`,
  server: `10.20.1.${(index % 8) + 11}`,
});

const hostileTraffic = (): Traffic =>
  httpExchange(
    {client: '203.0.113.66', server: '10.20.1.11'},
    {
      uri: `/hostile?q=${HOSTILE.replaceAll(' ', '%20')}`,
      host: 'hostile.example',
      headers: {'User-Agent': HOSTILE, Referer: HOSTILE_ATTRIBUTE},
      answer: `<html>${HOSTILE_SCRIPT}</html>`,
    },
  );

/** Ordinary flows, which raise nothing: for traffic logs. */
const ordinaryTraffic = (count: number): Traffic =>
  Array.from({length: count}, (_, i) =>
    tcpSession({...pairOf(i), clientPort: 50_000 + i, serverPort: 5432}, [
      {from: 'client', data: 'q'.repeat(100 * (i + 1))},
      {from: 'server', data: 'a'.repeat(1000 * (i + 1))},
    ]),
  ).flat();

const stored = async ({rest}: ConsoleServer): Promise<Json[]> =>
  (await rest.get(`${GUARD}/threats`, {pageSize: '1000'})).body?.threats ?? [];

const reachable = async ({rest}: ConsoleServer, name: string): Promise<{ip: string; vni: number}> => ({
  ip: (await rest.get(name)).body.endpointIp,
  vni: (await rest.get(`${name}/health`)).body.vni,
});

const labOf = ({lab}: ConsoleServer): NonNullable<ConsoleServer['lab']> => {
  if (lab === undefined) throw new Error('start the server with sensors');
  return lab;
};

/**
 * `guard` (all severities, traffic logs, an alert of each bundled rule and one with markup everywhere) and `edge` (HIGH and above, an
 * exception, no traffic). Resolves to the threats of `guard` when they are stored. Needs `rules: IDS_RULES`.
 */
export const seedIds = async (server: ConsoleServer): Promise<readonly Json[]> => {
  const {rest} = server;
  const guard = {severity: 'INFORMATIONAL', trafficLogs: true, description: HOSTILE, labels: {team: 'shop'}};
  const edge = {severity: 'HIGH', threatExceptions: ['1:9000103'], description: 'Behind the load balancer'};
  await Promise.all([rest.created(PARENT, 'guard', guard), rest.created(PARENT, 'edge', edge)]);
  const frames = RULE_TRAFFIC.flatMap(({raises}, index) => raises(pairOf(index)));
  await labOf(server).send(
    await reachable(server, GUARD),
    [...frames, ...hostileTraffic(), ...ordinaryTraffic(8)],
    2_000,
  );
  const wanted = [...RULE_TRAFFIC.map(({sid}) => `1:${sid}`), '1:1000001'];
  const isStored = async (): Promise<boolean> => {
    const seen = new Set((await stored(server)).map(({threat_id: id}) => id));
    return wanted.every(id => seen.has(id));
  };
  await until('the alerts of all bundled rules', isStored, WAIT_MS);
  return stored(server);
};

/**
 * Sends `count` packets that raise an alert each, every one a record of its own, and resolves when they are sent. Needs `seedIds`.
 *
 * @param perSecond how fast
 */
export const streamAlerts = async (server: ConsoleServer, count: number, perSecond: number): Promise<void> => {
  const to = await reachable(server, GUARD);
  const frames = Array.from({length: count}, (_, i) =>
    hit('one', {client: `10.${(i >> 16) + 100}.${(i >> 8) & 255}.${i & 255}`, server: '10.20.1.11'}),
  );
  await labOf(server).send(to, frames, perSecond);
};
