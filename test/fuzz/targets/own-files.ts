// SPDX-License-Identifier: Apache-2.0
/** Files that the product writes and reads again, which a crash, a disk or another program may have damaged; and backups from anywhere. */
import {createHash} from 'node:crypto';
import {decodeBlock, EntryFormatError, encodeBlocks} from '@palisade/store/backup';
import {sensorRecordIn} from '../../../packages/sensor/src/sensor/sensor-folder.ts';
import {ArchiveError} from '../../../packages/server/src/backup/archive-error.ts';
import {parseManifest} from '../../../packages/server/src/backup/manifest.ts';
import {readMembers} from '../../../packages/server/src/backup/read-archive.ts';
import {tarEnd, tarHeader, tarPadding} from '../../../packages/server/src/backup/tar-blocks.ts';
import {issuedEntries} from '../../../packages/server/src/pki/issued-register.ts';
import {pieces} from '../frame/pieces.ts';
import {claim, target} from '../frame/target.ts';

const ENTRIES = [
  {key: '/kube/endpoints/default/a', createRevision: 1n, modRevision: 2n, value: Buffer.from('{}')},
  {key: '/kube/endpoints/default/b', createRevision: 3n, modRevision: 3n, value: Buffer.from('{"a":"\\n"}\n')},
];
const BLOCK = Buffer.concat([...encodeBlocks(ENTRIES)]);
const MANIFEST = JSON.stringify({
  ...{format: 1, program: '0.1.0', createdAt: '2026-11-28T12:00:00.000Z', revision: '41'},
  ...{serverUid: '3f2a1b7c-0000-4000-8000-000000000000', objects: 2, objectBytes: 14, records: true},
});
const FILES: readonly (readonly [path: string, content: Buffer])[] = [
  ['manifest.json', Buffer.from(MANIFEST)],
  ['objects/000001', BLOCK],
  ['pki/ca.crt', Buffer.from('certificate\n')],
  ['records/local/a.db', Buffer.from('records')],
];
const sums = FILES.map(([path, content]) => `${createHash('sha256').update(content).digest('hex')}  ${path}\n`);
const ARCHIVE = Buffer.concat([
  ...[...FILES, ['SHA256SUMS', Buffer.from(sums.join(''))] as const].flatMap(([path, content]) => [
    ...[tarHeader(path, content.length, new Date(0)), content, tarPadding(content.length)],
  ]),
  tarEnd(),
]);

const SPEC =
  '{"endpoint":"projects/p/locations/l/endpoints/e","network":"n","ip":"192.0.2.1","vni":7,"severity":"LOW","threatExceptions":["1"],"trafficLogs":true}';

const TAR_BLOCK = 512;
/** Where a header keeps its checksum. Ref: POSIX ustar. */
const [SUM_FROM, SUM_TO] = [148, 156];

/** With checksums of the headers that fit, so that what is behind them is reached. */
function withHeaderSums(tar: Buffer): Buffer {
  const mended = Buffer.from(tar);
  for (let at = 0; at + TAR_BLOCK <= mended.length; at += TAR_BLOCK) {
    const header = mended.subarray(at, at + TAR_BLOCK);
    if (header.toString('latin1', 257, 262) !== 'ustar') continue;
    header.fill(' ', SUM_FROM, SUM_TO);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, SUM_FROM);
  }
  return mended;
}

async function readTar(tar: Buffer, size: number): Promise<unknown> {
  const found: unknown[] = [];
  try {
    const summary = await readMembers(pieces(tar, size), tar.length, {
      checksValues: true,
      entries: entries => void found.push(entries.map(({key, value}) => [key, value.length])),
      file: async (path, content) => {
        claim(!path.split('/').includes('..') && !path.startsWith('/'), `the file ${path} leads out`);
        let bytes = 0;
        for await (const piece of content) bytes += piece.length;
        found.push([path, bytes]);
      },
    });
    return {found, summary};
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return error.message;
  }
}

export const ownFileTargets = [
  target({
    name: 'backup',
    form: 'bytes',
    seeds: [ARCHIVE, ARCHIVE.subarray(0, -tarEnd().length), tarEnd()],
    words: ['ustar', '\x80', '\xff', '../', '/', '\0', '00000000777', 'pki/', 'objects/000002'],
    decode: async input => {
      const tar = withHeaderSums(input);
      const read = await readTar(tar, 1024 * 1024);
      claim(JSON.stringify(read) === JSON.stringify(await readTar(tar, 61)), 'pieces change what an archive says');
      return read;
    },
  }),
  target({
    name: 'backup-manifest',
    form: 'json',
    refusals: [ArchiveError],
    seeds: [MANIFEST, '{"format":2,"program":"9"}', 'null', '[]'],
    decode: input => parseManifest(input.toString()),
    encode: value => JSON.stringify(value),
  }),
  target({
    name: 'backup-block',
    form: 'bytes',
    refusals: [EntryFormatError],
    seeds: [BLOCK, '{"key":"a","createRevision":"1","modRevision":"1","bytes":0}\n\n', 'null\n\n', '\n'],
    words: ['"bytes":', '-1', '1e3', '\n', '{"key":"a","createRevision":"1","modRevision":"1","bytes":0}\n\n'],
    decode: input => decodeBlock(input),
    encode: entries => Buffer.concat([...encodeBlocks(entries)]),
  }),
  target({
    name: 'issued-register',
    form: 'text',
    seeds: [
      '\n{"serial":"0a","user":"u","groups":["g"],"notAfter":"2027-01-01T00:00:00.000Z","issuedAt":"2026-01-01T00:00:00.000Z","ca":"ab"}\n\n{"serial":"0b","us',
      '{"serial":"0a","user":"u","notAfter":"2027-01-01T00:00:00.000Z","issuedAt":"2026-01-01T00:00:00.000Z","ca":"ab"}',
      'null\n5\n[]\n{}\n',
    ],
    words: ['null', '[]', '{}', '5', '""', '"groups":', '\n'],
    decode: input => {
      const entries = issuedEntries(input.toString());
      // As `palisade certs show` prints it, and `palisade certs revoke` finds it.
      for (const {serial, groups, notAfter} of entries) {
        claim(
          [serial, notAfter, groups.join(', ')].every(text => typeof text === 'string'),
          'a field is no text',
        );
      }
      return entries;
    },
    encode: entries => entries.map(entry => `\n${JSON.stringify(entry)}\n`).join(''),
  }),
  target({
    name: 'sensor-record',
    form: 'json',
    refusals: [SyntaxError],
    seeds: [
      `{"spec":${SPEC},"process":{"pid":12,"startTicks":"345"}}`,
      `{"spec":${SPEC}}`,
      '{"spec":{"endpoint":"e"}}',
      '{"spec":null}',
      'null',
    ],
    decode: input => {
      const record = sensorRecordIn(input.toString());
      const mark = record?.process;
      const isMark = Number.isSafeInteger(mark?.pid) && Number(mark?.pid) > 0 && typeof mark?.startTicks === 'string';
      claim(mark === undefined || isMark, 'the mark of a process lacks its parts');
      return record;
    },
    encode: record => record && JSON.stringify(record),
  }),
];
