// SPDX-License-Identifier: Apache-2.0
/** `palisade test-threat`: proves the way from a mirror to a threat record with a harmless request. */
import {lookup} from 'node:dns/promises';
import type {IdsClient} from '@palisade/client';
import {programRunner, type RunProgram} from '@palisade/server/run-program';
import {holdingTimers, monotonicClock, systemRandom, wait} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, type Parsed, parseOptions} from '../command-line/options.ts';
import {terminalJson, terminalText} from '../command-line/terminal-text.ts';
import {idsConnectionOptions, withIdsClient} from '../connection/connection.ts';
import {wayTo} from '../mirror/kernel.ts';
import {sendFrames, VXLAN} from '../replay/frame-sender.ts';
import {answerMsMax, awaitRecord, type Found, type Timing} from '../test-threat/await-record.ts';
import {diagnose, figuresOf, growth} from '../test-threat/diagnose.ts';
import {filterOf, madeUpSession, realRequests} from '../test-threat/probes.ts';
import {exchange} from '../test-threat/real-connection.ts';
import {attachOf} from './mirror.ts';

const TIMEOUT = '15s';
const TIMEOUT_MS_MAX = 600_000;
/** Frames per second. */
const RATE = 1_000;
const MARKER_BYTES = 8;
/** Alerts that are equal to one of the last 5 s, such as of an earlier test, make no record of their own. */
const REPEAT_MS = 6_000;
const DIRECT = 'direct';

const options = {
  timeout: {
    type: 'string',
    value: 'T',
    default: TIMEOUT,
    doc: 'wait this long for the record and for each answer, such as 30s',
  },
  via: {
    type: 'string',
    value: 'IFACE|direct',
    default: DIRECT,
    doc: 'with --to: check that the request leaves by IFACE',
  },
  to: {type: 'string', value: 'HOST:PORT', doc: 'send real HTTP requests to this server, past the mirror'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;
type Flags = Parsed<typeof options>;

export type TestSystem = Timing & {
  readonly bytes: (count: number) => Uint8Array;
  readonly wait: (ms: number) => Promise<void>;
  readonly runner: (env: CliIo['env']) => RunProgram;
};

const realSystem: TestSystem = {
  now: monotonicClock.now,
  after: holdingTimers.after,
  bytes: systemRandom.bytes,
  wait,
  runner: programRunner,
};

/** Milliseconds; undefined for any other text. */
export const parseTimeout = (text: string): number | undefined => {
  const [, figure = '', unit = 's'] = /^(\d{1,6})(ms|s|m)?$/.exec(text) ?? [];
  const ms = Number(figure) * (unit === 'ms' ? 1 : unit === 's' ? 1_000 : 60_000);
  return figure !== '' && ms > 0 && ms <= TIMEOUT_MS_MAX ? ms : undefined;
};

/** `HOST:PORT` or `[IPV6]:PORT`. */
export const parseTo = (text: string): {readonly host: string; readonly port: number} | undefined => {
  const [, v6, name = '', port = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = v6 ?? name;
  return host !== '' && Number(port) >= 1 && Number(port) <= 65_535 ? {host, port: Number(port)} : undefined;
};

const faultsOf = (flags: Flags, word: string | undefined): string[] =>
  [
    word === undefined ? 'an ENDPOINT is required: its ID or full name' : '',
    parseTimeout(flags.timeout) === undefined
      ? `--timeout ${flags.timeout}: must be a time from 1ms to ${TIMEOUT_MS_MAX / 60_000}m, such as 30s`
      : '',
    flags.via !== DIRECT && flags.to === undefined
      ? `--via ${flags.via} needs --to HOST:PORT, an HTTP server that is reached through ${flags.via}`
      : '',
    flags.to !== undefined && parseTo(flags.to) === undefined
      ? `--to ${flags.to}: must be HOST:PORT, such as 10.0.0.5:80`
      : '',
  ].filter(fault => fault !== '');

/** The address of the server. Throws CommandError when its packets do not leave by the interface. */
const addressVia = async (via: string, host: string, run: RunProgram): Promise<string> => {
  const {address} = await lookup(host).catch((error: Error) => {
    throw new CommandError(`--to ${host}: ${error.message}`, {cause: error});
  });
  if (via === DIRECT) return address;
  const {dev, isLocal} = await wayTo(run, address);
  if (dev === via) return address;
  const place = isLocal ? 'it is an address of this host' : `it is reached through ${dev}`;
  throw new CommandError(
    `--via ${via}: packets to ${address} do not leave by ${via}: ${place}; give --via ${dev}, or another server`,
  );
};

type Test = {
  readonly client: IdsClient;
  readonly endpoint: string;
  readonly ip: string;
  readonly vni: number;
  readonly timeoutMs: number;
  readonly marker: string;
};
type Outcome = {readonly found: Found | undefined; readonly sent: number | undefined; readonly how: string};

const sendFault = ({code, message}: NodeJS.ErrnoException, ip: string): string =>
  code === 'ENETUNREACH' || code === 'EHOSTUNREACH'
    ? `this host has no route to it; check with ip route get ${ip}, add one: ip route add ${ip}/32 via SERVER_HOST`
    : code === 'EPERM' || code === 'EACCES'
      ? `a firewall of this host forbids it (${message}); allow UDP ${VXLAN.port} to it`
      : message;

/** The packets are made here and sent in VXLAN. */
const directTest = async (
  {client, endpoint, ip, vni, timeoutMs, marker}: Test,
  system: TestSystem,
): Promise<Outcome> => {
  const {ends, frames} = madeUpSession(marker, system.bytes(MARKER_BYTES));
  const send = async (): Promise<void> => {
    async function* all(): AsyncGenerator<Uint8Array> {
      yield* frames;
    }
    try {
      await sendFrames(all(), {to: ip, vni, framing: VXLAN, rate: RATE, wait: system.wait});
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new CommandError(`cannot send to ${ip}:${VXLAN.port}: ${sendFault(error as NodeJS.ErrnoException, ip)}`, {
        cause: error,
      });
    }
  };
  const found = await awaitRecord(client, {endpoint, filter: filterOf(ends, marker), timeoutMs}, send, system);
  return {found, sent: frames.length, how: `${frames.length} packets as VXLAN to ${ip}, VNI ${vni}`};
};

/** `action` again and again, whether it fails or not, until `end` is settled. */
const repeatUntil = async (end: Promise<unknown>, action: () => Promise<unknown>, {after}: Timing): Promise<void> => {
  const ended = end.then(
    () => true,
    () => true,
  );
  for (;;) {
    const pause = Promise.withResolvers<false>();
    const timer = after(REPEAT_MS, () => pause.resolve(false));
    const isOver = await Promise.race([ended, pause.promise]);
    timer.cancel();
    if (isOver) return;
    await action().catch(() => {}); // the first one has shown that the server answers
  }
};

/** A real connection, which only a mirror shows to the endpoint. */
const realTest = async (test: Test, to: string, via: string, io: CliIo, system: TestSystem): Promise<Outcome> => {
  const {client, endpoint, timeoutMs, marker} = test;
  const {host, port} = parseTo(to) ?? {host: '', port: 0};
  const address = await addressVia(via, host, system.runner(io.env));
  const requests = realRequests(marker, host);
  const waiting: {found: Promise<Found | undefined>} = {found: Promise.resolve(undefined)};
  const said = await exchange(address, port, requests, own => {
    const {promise, resolve, reject} = Promise.withResolvers<void>();
    const query = {endpoint, filter: filterOf(own, marker), timeoutMs};
    waiting.found = awaitRecord(client, query, async () => resolve(), system);
    waiting.found.then(() => resolve(), reject);
    return promise;
  });
  await repeatUntil(waiting.found, () => exchange(address, port, requests, async () => {}), system);
  const past = via === DIRECT ? '' : ` by ${via}`;
  return {
    found: await waiting.found,
    sent: undefined,
    how: `HTTP requests from ${said.client}:${said.clientPort} to ${address}:${port}${past} (${said.answered} bytes answered)`,
  };
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

const runWith = async (
  client: IdsClient,
  flags: Flags,
  word: string,
  io: CliIo,
  system: TestSystem,
): Promise<number> => {
  const {attach, object, health: before} = await attachOf(client, word);
  const {endpoint, ip, vni} = attach;
  const {state, ...rest} = object;
  if (state !== 'READY') throw new CommandError(`${endpoint} is ${state}; it accepts packets when it is READY`);
  const marker = Buffer.from(system.bytes(MARKER_BYTES)).toString('hex');
  const timeoutMs = parseTimeout(flags.timeout) ?? 0;
  const test: Test = {client, endpoint, ip, vni, timeoutMs, marker};
  const {found, sent, how} =
    flags.to === undefined ? await directTest(test, system) : await realTest(test, flags.to, flags.via, io, system);
  const target = {endpoint, endpointIp: ip, vni, marker, sent: how};
  if (found !== undefined) {
    const {record, afterMs} = found;
    const {threat_id, name, alert_severity} = record;
    io.stdout.write(
      flags.json
        ? `${terminalJson({...target, found: true, afterMs: Math.round(afterMs), threat: record})}\n`
        : terminalText(
            `sent ${how}\nthreat ${threat_id} (${alert_severity}, ${name}) recorded after ${seconds(afterMs)}\n`,
          ),
    );
    return EXIT.ok;
  }
  const health = await client.getHealth(endpoint);
  const grown = growth(figuresOf(before), figuresOf(health));
  const reasons = diagnose({endpoint: rest, ip, vni, health, grown, sent, waitedMs: timeoutMs});
  if (flags.json) io.stdout.write(`${JSON.stringify({...target, found: false, reasons, grown})}\n`);
  else io.stdout.write(`sent ${how}\n`);
  const texts = reasons.map(reason => `palisade: ${reason}\n`).join('');
  io.stderr.write(terminalText(`palisade: no threat record within ${flags.timeout}\n${texts}`));
  return EXIT.failed;
};

const run = (flags: Flags, word: string, io: CliIo, system: TestSystem): Promise<number> => {
  const timeoutMs = answerMsMax(parseTimeout(flags.timeout) ?? TIMEOUT_MS_MAX);
  return withIdsClient(flags, io, client => runWith(client, flags, word, io, system), undefined, timeoutMs);
};

/** `system`: replaced in tests. */
export const runTestThreat = async (words: readonly string[], io: CliIo, system = realSystem): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, options, {max: 1, what: 'one endpoint at a time'});
  const [word] = positionals;
  const faults = faultsOf(flags, word);
  if (word === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  return run(flags, word, io, system);
};

export const testThreat: Command = {
  name: 'test-threat',
  group: 'ids',
  words: ['endpoint'],
  summary: 'send a harmless bad request to an IDS endpoint and wait for its record',
  usage: 'ENDPOINT [--timeout T] [--to HOST:PORT [--via IFACE]] [--json]',
  notes: [
    'By default: packets of an HTTP connection between documentation addresses go to the endpoint as VXLAN. With --to: real requests go',
    'to the server that you name, and a mirror on their way has to show them to the endpoint. Its log gets requests of sqlmap, Nikto and',
    'Nmap with an empty shell function in a header; they read and change nothing. Without a record the counters of the endpoint say why.',
    'Exit code 0: the record came; 1: it did not.',
  ],
  options,
  examples: [
    'palisade test-threat guard',
    'palisade test-threat guard --to 10.0.0.5:80 --via eth0 --timeout 30s',
    'palisade test-threat guard --json',
  ],
  run: (words, io) => runTestThreat(words, io),
};
