// SPDX-License-Identifier: Apache-2.0
/** `palisade replay`: sends a capture file to an IDS endpoint as VXLAN, to see what it raises. */
import type {IdsClient} from '@palisade/client';
import type {Command} from '../cli/command.ts';
import {CommandError, EXIT, UsageError} from '../cli/io.ts';
import {type OptionTable, parseOptions} from '../cli/options.ts';
import {type CapturedFrame, CaptureFileError, readCapture} from '../replay/pcap.ts';
import {sendFrames} from '../replay/vxlan-sender.ts';
import {wait} from '../run/system.ts';
import {connectionOptions, resolveEndpoint, withIdsClient} from './connection.ts';
import {readNamedFile} from './read-named-file.ts';

const RATE_DEFAULT = 1_000;
const RATE_MAX = 100_000;

const options = {
  endpoint: {type: 'string', value: 'NAME', doc: 'Full resource name, or the id where it is unique; required.'},
  rate: {type: 'string', value: 'N', default: String(RATE_DEFAULT), doc: 'Frames per second.'},
  ...connectionOptions,
} as const satisfies OptionTable;

/** The VNI that the endpoint's forwarding rule tells mirrors to use. */
const vniOf = async (client: IdsClient, rule: string): Promise<number> => {
  const health = await client.getHealth(rule);
  const vni = Number(health['vni']);
  if (!Number.isInteger(vni)) throw new CommandError(`${rule}: the server does not say which VNI to use`);
  return vni;
};

const framesOf = (file: Uint8Array, path: string): CapturedFrame[] => {
  try {
    return readCapture(file);
  } catch (error) {
    if (!(error instanceof CaptureFileError)) throw error;
    throw new CommandError(`${path}: ${error.message}`, {cause: error});
  }
};

export const replay: Command = {
  name: 'replay',
  summary: 'send a capture file to an IDS endpoint as VXLAN',
  usage: 'palisade replay FILE --endpoint NAME [--rate N] [--json]',
  notes: [
    'The packets are sent as they were captured. Sent again within seconds they belong to connections that Suricata still has,',
    'and raise few alerts; a minute later they raise what they did the first time.',
  ],
  options,
  examples: [
    'palisade replay attack.pcap --endpoint guard',
    'palisade replay big.pcapng --endpoint guard --rate 20000 --json',
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
    const frames = framesOf(await readNamedFile(path, io.cwd, path), path);
    return withIdsClient(flags, io, async client => {
      const name = await resolveEndpoint(client, flags.endpoint ?? '');
      const endpoint = await client.getEndpoint(name);
      const to = endpoint.endpointIp;
      if (to === undefined || endpoint.state !== 'READY')
        throw new CommandError(`${name} is ${endpoint.state ?? 'not ready'}: it takes packets when it is READY`);
      const vni = await vniOf(client, name);
      const sent = await sendFrames(
        frames.map(f => f.bytes),
        {
          to,
          vni,
          rate,
          wait,
          onProgress: n => void (n % 10_000 === 0 && io.stderr.write(`palisade: ${n} of ${frames.length} frames\n`)),
        },
      );
      if (sent.tooLarge > 0)
        io.stderr.write(`palisade: ${sent.tooLarge} frames are too large for a UDP datagram and were left out\n`);
      const data = {endpoint: name, to, vni, frames: frames.length, ...sent};
      io.stdout.write(
        flags.json
          ? `${JSON.stringify(data)}\n`
          : `sent ${sent.sent} of ${frames.length} frames to ${to}:4789, VNI ${vni}\n`,
      );
      return EXIT.ok;
    });
  },
};
