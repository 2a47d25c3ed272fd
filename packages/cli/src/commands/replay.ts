// SPDX-License-Identifier: Apache-2.0
/** `palisade replay`: sends a capture file to an IDS endpoint as a mirror does, to see what it raises. */
import {createReadStream} from 'node:fs';
import {resolve} from 'node:path';
import type {Readable} from 'node:stream';
import type {IdsClient} from '@palisade/client';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {wait} from '@palisade/server/system';
import type {Command} from '../command-line/command.ts';
import {interruptsOfProcess} from '../command-line/interrupts.ts';
import {type CliIo, CommandError, EXIT, UsageError} from '../command-line/io.ts';
import {type OptionTable, parseOptions} from '../command-line/options.ts';
import {idsConnectionOptions, resolveEndpoint, withIdsClient} from '../connection/connection.ts';
import {ByteSource} from '../replay/byte-source.ts';
import {openCapture} from '../replay/capture.ts';
import {CaptureFrames} from '../replay/capture-frames.ts';
import {CaptureFileError} from '../replay/capture-packet.ts';
import {type Framing, GENEVE, type SendOptions, sendFrames, VXLAN} from '../replay/frame-sender.ts';

const RATE_DEFAULT = 1_000;
const RATE_MAX = 100_000;
/** One read of the capture file. */
const READ_BYTES = 256 * 1024;

const options = {
  endpoint: {
    type: 'string',
    value: 'NAME',
    completes: 'endpoint',
    doc: 'send to this endpoint: its ID, if unique, or its full name; required',
  },
  rate: {type: 'string', value: 'N', default: String(RATE_DEFAULT), doc: 'send N frames per second'},
  geneve: {type: 'boolean', doc: 'send as GENEVE to UDP 6081 (default: VXLAN to UDP 4789)'},
  ...idsConnectionOptions,
} as const satisfies OptionTable;

/** The VNI that the endpoint's forwarding rule tells mirrors to use. */
const vniOf = async (client: IdsClient, rule: string): Promise<number> => {
  const health = await client.getHealth(rule);
  const vni = Number(health['vni']);
  if (!Number.isInteger(vni)) throw new CommandError(`${rule}: the server does not say which VNI to use`);
  return vni;
};

/** Throws CommandError for what cannot be read, and for what is no capture. */
const openFrames = async (stream: NodeJS.ReadableStream, said: string): Promise<CaptureFrames> => {
  try {
    return new CaptureFrames(await openCapture(new ByteSource(unlessUnreadable(stream, said))));
  } catch (error) {
    if (!(error instanceof CaptureFileError)) throw error;
    throw new CommandError(`${said}: ${error.message}`, {cause: error});
  }
};

async function* unlessUnreadable(stream: NodeJS.ReadableStream, said: string): AsyncGenerator<Uint8Array> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw new CommandError(`${said}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
}

type Target = {readonly endpoint: string; readonly to: string; readonly vni: number};

const targetOf = async (client: IdsClient, named: string): Promise<Target> => {
  const name = await resolveEndpoint(client, named);
  const {endpointIp, state} = await client.getEndpoint(name);
  if (endpointIp === undefined || state !== 'READY')
    throw new CommandError(`${name} is ${state ?? 'not ready'}; it accepts packets when it is READY`);
  return {endpoint: name, to: endpointIp, vni: await vniOf(client, name)};
};

const sendOrSay = async (frames: CaptureFrames, options: SendOptions): Promise<number> => {
  try {
    return await sendFrames(frames, options);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new CommandError(`cannot send to ${options.to}:${options.framing.port}: ${error.message}`, {cause: error});
  }
};

/** What the user has to know of a capture that was not sent as a whole, or not as whole packets. */
const notesOn = ({skipped, shortened, damage}: CaptureFrames): string[] => [
  ...skipped.map(({reason, frames}) => `frames skipped: ${frames}; reason: ${reason}`),
  ...(shortened === 0
    ? []
    : [
        `frames captured only in part (snap length): ${shortened}; they were sent, but Suricata may not inspect them; capture with tcpdump -s 0`,
      ]),
  ...(damage === undefined ? [] : [`the capture is ${damage}; only the frames before that were read`]),
];

const report = (
  frames: CaptureFrames,
  {
    endpoint,
    to,
    vni,
    framing,
    sent,
    json,
  }: Target & {
    readonly framing: Framing;
    readonly sent: number;
    readonly json: boolean;
  },
  io: CliIo,
): number => {
  for (const note of notesOn(frames)) io.stderr.write(`palisade: ${note}\n`);
  const {read, skipped, shortened, damage} = frames;
  const data = {
    endpoint,
    to,
    vni,
    encapsulation: framing.name,
    frames: read,
    sent,
    skipped,
    shortened,
    ...(damage === undefined ? {} : {damage}),
  };
  const text = `sent ${sent} of ${read} frames to ${to}:${framing.port}, VNI ${vni}`;
  io.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
  return sent === read && damage === undefined ? EXIT.ok : EXIT.failed;
};

export const replay: Command = {
  name: 'replay',
  group: 'ids',
  words: ['file', 'nothing'],
  summary: 'send a capture file to an IDS endpoint as VXLAN or GENEVE',
  usage: 'FILE --endpoint NAME [--rate N] [--geneve] [--json]',
  notes: [
    'FILE is pcap or pcapng; "-" reads standard input. Linux cooked, raw IP and loopback captures get an invented Ethernet header.',
    'Packets are sent as captured. If you replay a file again within seconds, Suricata still tracks its connections and raises few',
    'alerts; wait a minute. Packets that cannot be sent are skipped and counted by reason: then, and when the file is truncated,',
    'the exit code is 1.',
  ],
  options,
  examples: [
    'palisade replay attack.pcap --endpoint guard',
    'palisade replay big.pcapng --endpoint guard --rate 20000 --json',
    'palisade replay attack.pcap --endpoint guard --geneve',
    'gunzip -c big.pcap.gz | palisade replay - --endpoint guard',
  ],
  run: async (words, io) => {
    const {options: flags, positionals} = parseOptions(words, options, {max: 1, what: 'one capture file at a time'});
    const rate = Number(flags.rate);
    const faults = [
      positionals[0] === undefined ? 'a capture FILE is required' : '',
      flags.endpoint === undefined ? '--endpoint NAME is required' : '',
      Number.isInteger(rate) && rate >= 1 && rate <= RATE_MAX
        ? ''
        : `--rate ${flags.rate}: must be a whole number from 1 to ${RATE_MAX}`,
    ].filter(f => f !== '');
    if (faults.length > 0) throw new UsageError(faults.join('\n'));
    const [path = ''] = positionals;
    const isStdin = path === '-';
    // Ctrl-C ends the program in front of the pipe: what it sent before is still read, sent and reported.
    const release = isStdin ? interruptsOfProcess(() => release()) : () => {};
    const stream = isStdin ? io.stdin : createReadStream(resolve(io.cwd, path), {highWaterMark: READ_BYTES});
    try {
      const frames = await openFrames(stream, isStdin ? 'stdin' : path);
      return await withIdsClient(flags, io, async client => {
        const target = await targetOf(client, flags.endpoint ?? '');
        const onProgress = (n: number): unknown => io.stderr.write(`palisade: ${n} frames sent\n`);
        const framing = flags.geneve ? GENEVE : VXLAN;
        const sent = await sendOrSay(frames, {...target, framing, rate, wait, onProgress});
        return report(frames, {...target, framing, sent, json: flags.json}, io);
      });
    } finally {
      release();
      if ('destroy' in stream) (stream as Readable).destroy(); // a pipe may stay open, and with it this process
    }
  },
};
