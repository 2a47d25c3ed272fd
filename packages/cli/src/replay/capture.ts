// SPDX-License-Identifier: Apache-2.0
/** Opens capture files: classic pcap in its variants, and pcapng. */
import type {ByteSource} from './byte-source.ts';
import {BIG, type CaptureEntry, CaptureFileError, LITTLE, type Numbers} from './capture-packet.ts';
import {openPcap} from './pcap.ts';
import {openPcapng, SECTION_MAGIC} from './pcapng.ts';

/** Bytes of a packet's header, by the magic of a classic file: µs, ns, and modified (by Kuznetzov's patch of libpcap). */
const PCAP_MAGICS: Readonly<Record<number, number>> = {2712847316: 16, 2712812621: 16, 2712849716: 24};

/** First bytes of files that people take for captures, and what to do with them. */
const OTHER_FORMATS: readonly (readonly [start: string, wayOut: string])[] = [
  ['1f8b', 'it is compressed: decompress it with gunzip first'],
  ['28b52ffd', 'it is compressed: decompress it with unzstd first'],
  ['fd377a58', 'it is compressed: decompress it with unxz first'],
  ['425a68', 'it is compressed: decompress it with bunzip2 first'],
  ['04224d18', 'it is compressed: decompress it with unlz4 first'],
  ['736e6f6f', 'it is a capture of snoop: convert it with "editcap -F pcap"'],
  ['474d4255', 'it is a capture of Network Monitor: convert it with "editcap -F pcap"'],
];

/**
 * Packets in file order. Throws CaptureFileError for a file that is no capture; the generator throws it, too, where the file is cut
 * off or damaged: what came before is whole.
 */
export const openCapture = async (source: ByteSource): Promise<AsyncGenerator<CaptureEntry>> => {
  const start = await source.take(4);
  if (start.length === 0) throw new CaptureFileError('the file is empty');
  if (start.length === 4) {
    if (start.readUInt32BE(0) === SECTION_MAGIC) return openPcapng(source);
    for (const numbers of [LITTLE, BIG] satisfies Numbers[]) {
      const headerBytes = PCAP_MAGICS[numbers.u32(start, 0)];
      if (headerBytes !== undefined) return openPcap(source, numbers, headerBytes);
    }
  }
  const other = OTHER_FORMATS.find(([magic]) => start.toString('hex').startsWith(magic));
  throw new CaptureFileError(`not a pcap or pcapng file${other === undefined ? '' : `; ${other[1]}`}`);
};
