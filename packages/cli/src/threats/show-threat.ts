// SPDX-License-Identifier: Apache-2.0
/** `palisade threats show`: one threat with its evidence and its rule; with --pcap also its packets as a file. */
import {writeFile} from 'node:fs/promises';
import {resolve} from 'node:path';
import {whyUnwritable} from '@palisade/engine/file-faults';
import type {PcapSource} from '@palisade/ids-wire';
import {type CliIo, CommandError, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalJson} from '../command-line/terminal-text.ts';
import {withIdsClient} from '../connection/connection.ts';
import {findThreat} from './find-threat.ts';
import {showFlags} from './threat-flags.ts';
import {threatText} from './threat-text.ts';

/** Packets of others are for their reader alone. */
const FILE_MODE = 0o600;

const HOLDS: Readonly<Record<PcapSource, string>> = {
  flow: 'the packets of the flow',
  'flow-cut': 'the first packets of the flow, which has more than the server reads for one request',
  packet: 'the packet of the alert; palisade serve --evidence pcap keeps the packets of its flow',
  payload:
    'the payload in a made-up packet, and the packet of the alert; palisade serve --evidence pcap keeps the packets of its flow',
};

const save = async (file: string, cwd: string, bytes: Uint8Array): Promise<void> => {
  try {
    await writeFile(resolve(cwd, file), bytes, {mode: FILE_MODE});
  } catch (error) {
    throw new CommandError(`--pcap ${file}: cannot be written: ${whyUnwritable(error)}`, {cause: error});
  }
};

/** Packets go to stdout, without the report. */
const STDOUT = '-';

const assertPcap = (
  pcap: string | undefined,
  {json, stdout}: Pick<CliIo, 'stdout'> & {readonly json: boolean},
): void => {
  if (pcap === '') throw new UsageError('--pcap: give the name of a file, or - for stdout');
  if (pcap !== STDOUT) return;
  if (json) throw new UsageError('--json and --pcap - exclude each other: both write to stdout');
  if (isTerminal(stdout))
    throw new UsageError(
      '--pcap -: stdout is a terminal; pipe it into a program, such as tcpdump -r -, or give a file',
    );
};

export const runShow = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags, positionals} = parseOptions(words, showFlags, {max: 1, what: 'one threat at a time'});
  const {pcap, json} = flags;
  assertPcap(pcap, {json, stdout: io.stdout});
  return withIdsClient(flags, io, async client => {
    const {endpoint, id} = await findThreat(client, positionals[0], flags.endpoint);
    const threat = await client.getThreat(endpoint, id);
    const [packets] = pcap === undefined ? [] : await Promise.allSettled([client.getThreatPcap(endpoint, id)]);
    // A file that cannot be written is said before the report, which would hide it.
    if (pcap !== undefined && pcap !== STDOUT && packets?.status === 'fulfilled')
      await save(pcap, io.cwd, packets.value.file);
    if (pcap !== STDOUT) io.stdout.write(json ? `${terminalJson(threat)}\n` : threatText(threat));
    if (packets === undefined) return EXIT.ok;
    if (packets.status === 'rejected') throw packets.reason;
    const {source, file} = packets.value;
    if (pcap === STDOUT) io.stdout.write(file);
    io.stderr.write(`palisade: ${pcap === STDOUT ? 'the capture' : pcap} has ${HOLDS[source]}\n`);
    return EXIT.ok;
  });
};
