// SPDX-License-Identifier: Apache-2.0
/** The laboratory process: a sensor host in a network namespace of its own, driven by lines on stdin. */
import {randomUUID} from 'node:crypto';
import {createSocket, type Socket} from 'node:dgram';
import {createInterface} from 'node:readline';
import {setTimeout as delay} from 'node:timers/promises';
import {
  createSensorHost,
  isSensorError,
  type Log,
  plainRuleSet,
  type RuleSetSpec,
  type SuricataSensorHost,
  type Timers,
} from '@palisade/sensor';
import {FileSink} from './file-sink.ts';
import type {Condition, LabAnswer, LabMethods, LabOptions, LabRequest, LogEntry, Sending} from './protocol.ts';

const VXLAN_PORT = 4789;
const POLL_MS = 10;
const entries: LogEntry[] = [];
const logAt =
  (level: string) =>
  (fields: object, message: string): void => {
    entries.push({level, message, fields});
  };
const log: Log = {debug: logAt('debug'), info: logAt('info'), warn: logAt('warn'), error: logAt('error')};
const timers: Timers = {
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    return {cancel: () => clearTimeout(timer)};
  },
};

let host: SuricataSensorHost | undefined;
/** All that were created; one that is not closed keeps the process alive. */
const hosts: SuricataSensorHost[] = [];
let sink: FileSink | undefined;
let starting = new AbortController();
let progress: string[] = [];

const theHost = (): SuricataSensorHost => {
  if (host === undefined) throw new Error('create first');
  return host;
};
const theSink = (): FileSink => {
  if (sink === undefined) throw new Error('create first');
  return sink;
};

const vxlan = (vni: number, frame: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt8(0x08, 0);
  header.writeUInt32BE(vni * 256, 4);
  return Buffer.concat([header, frame]);
};

const bound = (socket: Socket, at: {readonly address: string; readonly port?: number}): Promise<void> =>
  new Promise((resolve, reject) => socket.once('error', reject).bind(at, resolve));

const send = async ({ip, vni, frames, perSecond, bare, port = VXLAN_PORT, from}: Sending): Promise<number> => {
  const socket = createSocket('udp4');
  const burst = Math.max(1, Math.round(perSecond / 200));
  if (from !== undefined) await bound(socket, {address: from});
  try {
    for (const [index, text] of frames.entries()) {
      const frame = Buffer.from(text, 'base64');
      await new Promise<void>((resolve, reject) => {
        const datagram = bare === true ? frame : vxlan(vni, frame);
        socket.send(datagram, port, ip, error => (error === null ? resolve() : reject(error)));
      });
      if (index % burst === burst - 1) await delay((1000 * burst) / perSecond);
    }
  } finally {
    socket.close();
  }
  return frames.length;
};

const specOf = (rules: LabOptions['rules']): RuleSetSpec => ('sources' in rules ? rules : plainRuleSet(rules));

const total = (counts: Iterable<number>): number => [...counts].reduce((sum, count) => sum + count, 0);

const holds = (condition: Condition): boolean => {
  if ('alerts' in condition) return total(theSink().counts().values()) >= condition.alerts;
  if ('traffic' in condition) return theSink().traffic.size >= condition.traffic;
  if ('progress' in condition) return progress.some(line => line.includes(condition.progress));
  if ('logged' in condition) return entries.some(line => line.message === condition.logged);
  const health = theHost().health(condition.endpoint);
  if (health === undefined) return false;
  const {received, dropped} = health.packets;
  if ('received' in condition) return received >= condition.received;
  if ('dropped' in condition) return dropped >= condition.dropped;
  if ('reason' in condition) return health.reasons.some(text => new RegExp(condition.reason).test(text));
  if ('seen' in condition) return health.alerts.seen >= condition.seen;
  return health.status === condition.status && health.restarts >= (condition.restarts ?? 0);
};

const methods: {
  [M in keyof LabMethods]: (
    ...args: Parameters<LabMethods[M]>
  ) => ReturnType<LabMethods[M]> | Promise<ReturnType<LabMethods[M]>>;
} = {
  create: async ({sinkFile, crash, rules, trafficSample = 1, ...options}) => {
    sink = new FileSink(sinkFile, crash);
    host = await createSensorHost({
      ...options,
      rules: specOf(rules),
      trafficSample: () => trafficSample,
      sink,
      clock: {now: () => Date.now()},
      timers,
      random: {uuid: () => randomUUID()},
      log,
    });
    hosts.push(host);
    return {driver: host.driver, unavailable: host.unavailable};
  },
  ready: () => theHost().ready(),
  setRules: rules => theHost().setRules(specOf(rules)),
  setRulePlan: async plan =>
    (await theHost().setRulePlan(plan)).flatMap(({id, error}) =>
      error === undefined ? [] : [[id, error.message] as const],
    ),
  ruleSets: () => theHost().ruleSets(),
  rulesOfSet: id => theHost().rulesOfSet(id),
  updateRules: id => theHost().updateRules(id),
  switchRules: (id, change) => theHost().switchRules(id, change),
  packetHistory: endpoint => theHost().packetHistory(endpoint),
  unavailable: () => theHost().unavailable,
  start: async spec => {
    starting = new AbortController();
    progress = [];
    await theHost().start(spec, {signal: starting.signal, onProgress: line => progress.push(line)});
    return progress;
  },
  abort: () => starting.abort(),
  update: spec => theHost().update(spec),
  stop: endpoint => theHost().stop(endpoint),
  health: endpoint => theHost().health(endpoint),
  counted: endpoint => theHost().counted(endpoint),
  endpoints: () => theHost().endpoints(),
  leftovers: () => theHost().leftovers(),
  send,
  hold: (address, port) => bound(createSocket('udp4').unref(), {address, port}),
  until: async (condition, limitMs) => {
    for (let waited = 0; !holds(condition); waited += POLL_MS) {
      if (waited >= limitMs)
        throw new Error(
          `not within ${limitMs} ms: ${JSON.stringify(condition)}; counts ${JSON.stringify([...theSink().counts()])}`,
        );
      await delay(POLL_MS);
    }
  },
  records: () => ({threats: [...theSink().threats], traffic: [...theSink().traffic], states: [...theSink().states]}),
  evidence: () => [...theSink().evidence],
  flowFrames: async query =>
    (await theHost().flowFrames(query)).frames.map(({bytes}) => Buffer.from(bytes).toString('base64')),
  tidyFlows: () => theHost().tidyFlows(),
  failSink: mode => {
    theSink().fail = mode;
  },
  logs: () => entries,
  close: () => theHost().close(),
};

const answer = async ({id, method, args}: LabRequest): Promise<LabAnswer> => {
  try {
    const call = methods[method] as (...all: readonly unknown[]) => unknown;
    return {id, result: await call(...args)};
  } catch (error) {
    if (isSensorError(error))
      return {id, error: {message: error.message, code: error.code, faults: error.refusal?.report.refused.listed}};
    return {id, error: {message: error instanceof Error ? (error.stack ?? error.message) : String(error)}};
  }
};

const lines = createInterface({input: process.stdin});
lines.on('line', line => {
  void answer(JSON.parse(line) as LabRequest).then(value => process.stdout.write(`${JSON.stringify(value)}\n`));
});

/** The test is gone, or has seen enough: an orderly end, which must leave nothing that keeps this process alive. */
const LAST_RESORT_MS = 20_000;
lines.on('close', () => {
  setTimeout(() => process.exit(1), LAST_RESORT_MS).unref();
  for (const each of hosts) void each.close();
});
