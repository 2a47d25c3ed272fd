// SPDX-License-Identifier: Apache-2.0
/** Files and sockets of a sensor's folder, which Suricata's user can write: EVE files with a position in them, and the command socket. */
import {writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {realTimers} from '../../../packages/prober/src/testing/check-once.ts';
import {EveReader} from '../../../packages/sensor/src/eve/eve-reader.ts';
import {decodeEveLine} from '../../../packages/sensor/src/eve/eve-record.ts';
import {SensorError} from '../../../packages/sensor/src/sensor-error.ts';
import {engineVersion, ruleStats, rulesLoadedAt} from '../../../packages/sensor/src/suricata/command-socket.ts';
import {COMMAND_SOCKET, EVE_FILE} from '../../../packages/sensor/src/suricata/config.ts';
import {inFolder} from '../frame/folder.ts';
import {claim, target} from '../frame/target.ts';

const NEWLINE = 0x0a;
const LINE_BYTES_MAX = 4_096;
/** Blocks of a file until its end, with the position made durable after each. */
const BLOCKS_MAX = 100_000;

type Read = {readonly bytes: Buffer; readonly unreadable: number; readonly cuts: number; readonly end: number};

const readFrom = async (folder: string, position: {readonly inode: string; readonly offset: number} | undefined) => {
  let cuts = 0;
  const reader = new EveReader(folder, {
    ...{eveReadBytes: 512, eveLineBytesMax: LINE_BYTES_MAX},
    onCut: () => void cuts++,
  });
  const read: Buffer[] = [];
  let [unreadable, end] = [0, 0];
  let inode = '';
  try {
    await reader.seek(position && {device: '1', ...position});
    for (let blocks = 0; blocks < BLOCKS_MAX; blocks++) {
      const block = await reader.read();
      if (block === undefined) break;
      claim(
        block.start + block.bytes.length <= block.checkpoint.offset || block.bytes.length === 0,
        'a block ends behind its position',
      );
      read.push(Buffer.from(block.bytes));
      unreadable += block.unreadable;
      end = block.checkpoint.offset;
      inode = block.checkpoint.inode;
      await reader.advance(block.checkpoint);
    }
  } finally {
    await reader.close();
  }
  return {bytes: Buffer.concat(read), unreadable, cuts, end, inode} satisfies Read & {inode: string};
};

const FIRST = '{"event_type":"palisade","file":"0b5f7f9e-0000-4000-8000-000000000001"}\n';
const LINE = '{"timestamp":"2026-01-02T03:04:05.123456+0000","event_type":"flow","flow_id":7}\n';

/** Whole lines of at most the longest; whether a longer one that no end was found for is at the end does not matter. */
const linesOf = (file: Buffer): string[] =>
  file
    .subarray(0, file.lastIndexOf(NEWLINE) + 1)
    .toString('latin1')
    .split('\n')
    .slice(0, -1);

const answerOf = async (answer: Buffer, ask: (folder: string) => Promise<unknown>): Promise<unknown> =>
  inFolder(async folder => {
    const server = createServer(socket => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.once('data', () => socket.end(answer));
        socket.write('{"return":"OK"}\n');
      });
    });
    await new Promise<void>(resolve => server.listen(join(folder, COMMAND_SOCKET), resolve));
    try {
      return await ask(folder);
    } finally {
      server.close();
    }
  });

const words = (text: string): string => {
  claim(typeof text === 'string', 'the answer is no text');
  return text;
};

export const sensorFileTargets = [
  target({
    name: 'eve-file',
    form: 'text',
    bytesMax: 60_000,
    seeds: [
      `${FIRST}${LINE}${LINE}`,
      `${FIRST}${LINE.repeat(20)}torn`,
      `${FIRST}${'x'.repeat(5_000)}\n${LINE}`,
      `${LINE}\n\n${FIRST}`,
      'no line',
    ],
    words: ['\n', '\r\n', FIRST, LINE, '\0', 'x'.repeat(500)],
    decode: input =>
      inFolder(async folder => {
        await writeFile(join(folder, EVE_FILE), input);
        const whole = await readFrom(folder, undefined);
        claim(whole.cuts === 0, 'a file that nobody changes counts as cut');
        const short = linesOf(input).filter(({length}) => length < LINE_BYTES_MAX / 4);
        const found = new Set(linesOf(whole.bytes));
        if (whole.end > 0)
          claim(
            short.every(line => found.has(line)),
            'a line is missing',
          );
        if (whole.end === 0) return {lines: 0};
        // A position in the middle: what is read before it and after it is the whole.
        const cut = input.indexOf(NEWLINE, Math.floor(input.length / 2)) + 1;
        if (cut > 0 && whole.unreadable === 0 && whole.bytes.length === whole.end) {
          const rest = await readFrom(folder, {inode: whole.inode, offset: cut});
          claim(
            rest.cuts === 0 && rest.bytes.equals(input.subarray(cut, whole.end)),
            'the rest behind a position is another',
          );
        }
        // A position that fits nothing in the file: the file is still read to its end, and never past it.
        const odd = await readFrom(folder, {inode: `${whole.inode}~x`, offset: input.length * 2});
        claim(odd.end <= input.length, `the position ${odd.end} is behind the end`);
        return {
          lines: linesOf(whole.bytes).length,
          types: linesOf(whole.bytes)
            .slice(0, 50)
            .map(line => decodeEveLine(line).type),
        };
      }),
  }),
  target({
    name: 'command-answer',
    form: 'json',
    refusals: [SensorError],
    seeds: [
      '{"message":[{"id":0,"rules_loaded":2,"rules_failed":1,"rules_skipped":3,"last_reload":"2026-01-02T03:04:05.000000+0000"}],"return":"OK"}\n',
      '{"return":"NOK","message":"no such command"}\n',
      '{"return":"OK","message":"7.0.10 RELEASE"}\n',
      '{"return":"OK","message":[[]]}\n',
    ],
    decode: async input => {
      const line = Buffer.concat([input, Buffer.from('\n')]);
      const asked = await Promise.allSettled([
        answerOf(line, folder => ruleStats(folder, realTimers, 5_000)),
        answerOf(line, folder => rulesLoadedAt(folder, realTimers, 5_000)),
        answerOf(line, async folder => words(await engineVersion(folder, realTimers, 5_000))),
      ]);
      const failed = asked.find(each => each.status === 'rejected' && !(each.reason instanceof SensorError));
      if (failed?.status === 'rejected') throw failed.reason;
      return asked.map(each => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message));
    },
  }),
];
