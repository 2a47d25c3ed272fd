// SPDX-License-Identifier: Apache-2.0
import {execFileSync} from 'node:child_process';
import {createHash, randomBytes} from 'node:crypto';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {zstdCompressSync, zstdDecompressSync} from 'node:zlib';
import {type Entry, PROGRAM_VERSION} from '@palisade/store';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ArchiveError} from './archive-error.ts';
import {ARCHIVE_FORMAT, CONTENT_FORMATS, parseManifest} from './manifest.ts';
import {type ArchiveSummary, readArchive} from './read-archive.ts';
import {makeSample, SAMPLE_UID, type Sample} from './testing/sample.ts';
import {TRAILER_BYTES, trailerOf} from './trailer.ts';
import {archiveOf} from './write-archive.ts';
import {writeBackupFile} from './write-backup-file.ts';

let dir: string;
let sample: Sample;
let whole: Buffer;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-test-'));
  sample = await makeSample(dir);
  whole = readFileSync(sample.file);
});
afterAll(() => rmSync(dir, {recursive: true, force: true}));

const read = async (content: Buffer): Promise<ArchiveSummary> => {
  const file = join(dir, 'damaged');
  writeFileSync(file, content);
  return readArchive(file, {checksValues: true});
};
/** Reads content with changes in the tar archive, and checksums of the file that fit. */
const readTar = (change: (tar: Buffer) => Buffer): Promise<ArchiveSummary> => {
  const packed = zstdCompressSync(change(Buffer.from(zstdDecompressSync(whole.subarray(0, -TRAILER_BYTES)))));
  return read(Buffer.concat([packed, trailerOf(createHash('sha256').update(packed).digest())]));
};
const tar = (): Buffer => zstdDecompressSync(whole.subarray(0, -TRAILER_BYTES));

test('48-3 a backup has every object, the keys, and nothing that is half written', async () => {
  const entries: Entry[] = [];
  const files: string[] = [];
  const summary = await readArchive(sample.file, {
    checksValues: true,
    entries: some => void entries.push(...some),
    file: async (path, content) => {
      for await (const piece of content) files.push(`${path}=${piece}`);
    },
  });
  expect(entries.map(({value, ...rest}) => ({...rest, value: String(value)}))).toEqual(
    sample.entries.map(({value, ...rest}) => ({...rest, value: Buffer.from(value).toString()})),
  );
  expect(files).toEqual(['pki/ca.crt=certificate\n', 'pki/ca.key=key\n']);
  expect(summary).toMatchObject({
    manifest: {
      format: ARCHIVE_FORMAT,
      program: PROGRAM_VERSION,
      revision: '41',
      objects: 40,
      serverUid: SAMPLE_UID,
      records: false,
    },
    ...{bytes: whole.length, members: 5, pkiFiles: 2, recordFiles: 0},
  });
});

test('48-3 standard programs read it: tar and zstd list it, sha256sum checks it', () => {
  const out = join(dir, 'unpacked');
  execFileSync('sh', ['-c', `mkdir ${out} && zstd -dc ${sample.file} | tar -x -C ${out}`]);
  expect(readdirSync(out).sort()).toEqual(['SHA256SUMS', 'manifest.json', 'objects', 'pki']);
  expect(execFileSync('sha256sum', ['-c', 'SHA256SUMS'], {cwd: out}).toString()).toContain('objects/000001: OK');
});

test('48-3 the owner of a large file hears that it is read, piece by piece, as the reader takes them', async () => {
  const file = join(dir, 'large');
  writeFileSync(file, randomBytes(5 * 1024 * 1024));
  let reads = 0;
  async function* records() {
    yield {file, path: 'records/journal.db', bytes: 5 * 1024 * 1024, onRead: () => void reads++};
  }
  const {manifest} = await readArchive(sample.file);
  const content = {manifest: {...manifest, records: true}, entries: [], files: [], records: records()};
  let taken = 0;
  for await (const _ of archiveOf(content, async () => {})) {
    taken += 1;
    if (taken === 1) expect(reads).toBeLessThan(5);
  }
  expect(reads).toBe(5);
});

describe('48-3 damage', () => {
  test('a file that was cut anywhere is refused', async () => {
    const step = Math.max(1, Math.floor(whole.length / 60));
    const places = [0, 1, 39, 40, 41, ...Array.from({length: 60}, (_, i) => i * step)];
    const ends = Array.from({length: 50}, (_, i) => whole.length - 1 - i);
    for (const at of [...places, ...ends])
      await expect(read(whole.subarray(0, at)), `cut at ${at}`).rejects.toThrow(ArchiveError);
  });

  test('a file with bytes behind its end, or without some of its middle, is refused', async () => {
    await expect(read(Buffer.concat([whole, Buffer.from('x')]))).rejects.toThrow(ArchiveError);
    const half = whole.length >> 1;
    await expect(read(Buffer.concat([whole.subarray(0, half), whole.subarray(half + 1)]))).rejects.toThrow(
      ArchiveError,
    );
  });

  test('a byte that is another anywhere is noticed', async () => {
    const step = Math.max(1, Math.floor(whole.length / 150));
    for (let at = 0; at < whole.length; at += at < 32 || at > whole.length - 60 ? 1 : step) {
      const changed = Buffer.from(whole);
      changed[at] = Number(changed[at]) ^ 0x10;
      await expect(read(changed), `byte ${at}`).rejects.toThrow(ArchiveError);
    }
  });

  test.each([
    ['manifest.json', /^manifest\.json: /],
    ['objects/000001', /^objects\/000001: checksum does not match$/],
    ['pki/ca.key', /^pki\/ca\.key: checksum does not match$/],
  ])('a changed %s in an archive whose own checksums fit is named', async (path, message) => {
    const content = tar();
    const header = content.indexOf(Buffer.from(`${path}\0`));
    const changed = Buffer.from(content);
    const at = path.startsWith('objects') ? content.indexOf(Buffer.from('xxxx'), header) : header + 512;
    changed[at] = Number(changed[at]) ^ 1;
    await expect(readTar(() => changed)).rejects.toThrow(message);
  });

  test.each<[string, (tar: Buffer) => Buffer, string]>([
    ['a damaged header', tar => tar.fill(0x41, 0, 20), 'damaged tar header behind the first header'],
    ['a missing end', tar => tar.subarray(0, tar.indexOf('SHA256SUMS\0')), 'cut off in pki/ca.key'],
    ['a missing member', tar => cutMember(tar, 'pki/ca.key'), 'pki/ca.key: is missing'],
    ['a missing block of objects', tar => cutMember(tar, 'objects/000001'), 'objects/000001: is missing'],
    ['a member twice', tar => twice(tar, 'pki/ca.key'), 'pki/ca.key: is there twice'],
    ['no checksums', tar => cutMember(tar, 'SHA256SUMS'), 'SHA256SUMS is missing'],
    ['bytes after its end', tar => Buffer.concat([tar, Buffer.from('more')]), 'bytes after the end of the tar archive'],
    ['a path that leads out', tar => renamed(tar, 'pki/ca.key', '../ca.keyx'), '"../ca.keyx": unexpected name'],
    ['an unknown member', tar => renamed(tar, 'pki/ca.key', 'etc/passwd'), 'etc/passwd: unexpected member'],
  ])('an archive with %s is refused', async (_, change, message) => {
    await expect(readTar(change)).rejects.toThrow(message);
  });

  test('a value that is no JSON, and too few objects, are named', async () => {
    const manifest = parseManifest(tar().toString('utf8', 512, tar().indexOf(0, 512)));
    const [entry] = sample.entries;
    if (entry === undefined) throw new Error('no entry');
    const written = async (entries: readonly Entry[], objects: number) => {
      const file = join(dir, 'other.tar.zst');
      const valueBytes = entries.reduce((sum, {value}) => sum + value.length, 0);
      const content = {manifest: {...manifest, objects, objectBytes: valueBytes}, entries, files: []};
      await writeBackupFile(
        file,
        archiveOf(content, async () => {}),
        {replaces: true},
      );
      return readArchive(file, {checksValues: true});
    };
    await expect(written([{...entry, value: Buffer.from('{')}], 1)).rejects.toThrow(
      `objects/000001: the value of ${entry.key} cannot be decoded`,
    );
    await expect(written([entry], 2)).rejects.toThrow('manifest.json: 1 objects found, 2 expected');
    await expect(written([entry, entry], 2)).rejects.toThrow('is not after');
    await expect(written([{...entry, modRevision: 99n}], 1)).rejects.toThrow('later than the backup');
    expect(readdirSync(dir).filter(name => name.endsWith('.partial'))).toEqual([]);
  });

  test('a newer format is refused with the version that reads it', () => {
    const newer = JSON.stringify({format: ARCHIVE_FORMAT + 1, program: '9.9.9'});
    expect(() => parseManifest(newer)).toThrow(
      'written by a newer version (format 2, this one reads up to 1); use palisade 9.9.9',
    );
    for (const [formats, what] of [
      [{store: CONTENT_FORMATS.store + 1, folder: 1}, 'objects'],
      [{store: 1, folder: CONTENT_FORMATS.folder + 1}, 'pki'],
    ] as const)
      expect(() => parseManifest(JSON.stringify({format: 1, program: '9.9.9', formats}))).toThrow(
        `written by a newer version (${what} in format 2, this one reads up to 1); use palisade 9.9.9`,
      );
    expect(() => parseManifest('{}')).toThrow('manifest.json: a field is missing or wrong');
  });
});

const memberAt = (tar: Buffer, path: string): {readonly at: number; readonly end: number} => {
  const at = tar.indexOf(Buffer.from(`${path}\0`));
  const size = Number.parseInt(tar.toString('latin1', at + 124, at + 136), 8);
  return {at, end: at + 512 + Math.ceil(size / 512) * 512};
};
const cutMember = (tar: Buffer, path: string): Buffer => {
  const {at, end} = memberAt(tar, path);
  return Buffer.concat([tar.subarray(0, at), tar.subarray(end)]);
};
const twice = (tar: Buffer, path: string): Buffer => {
  const {at, end} = memberAt(tar, path);
  return Buffer.concat([tar.subarray(0, end), tar.subarray(at)]);
};
/** Names of one length; the sum of the header is made to fit. */
const renamed = (tar: Buffer, path: string, other: string): Buffer => {
  const {at} = memberAt(tar, path);
  tar.write(other, at, 'latin1');
  tar.fill(0x20, at + 148, at + 156);
  const sum = tar.subarray(at, at + 512).reduce((total, byte) => total + byte, 0);
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148, 'latin1');
  return tar;
};

describe('48-3 making', () => {
  test('one at a time; another one is refused until the first ended, also when its reader left early', async () => {
    const {signal} = new AbortController();
    const first = sample.backups.make(false, signal);
    await first.next();
    await expect(sample.backups.make(false, signal).next()).rejects.toThrow('another backup is being made');
    const idle = sample.backups.idle();
    await first.return(undefined);
    await idle;
    await writeBackupFile(join(dir, 'second.tar.zst'), sample.backups.make(false, signal));
  });

  test('an abort leaves no file behind', async () => {
    const ending = new AbortController();
    ending.abort(new Error('stopping'));
    const file = join(dir, 'aborted.tar.zst');
    await expect(writeBackupFile(file, sample.backups.make(false, ending.signal))).rejects.toThrow('stopping');
    expect(readdirSync(dir).filter(name => name.startsWith('aborted'))).toEqual([]);
  });

  test('an existing file is replaced only where that is asked for', async () => {
    const {signal} = new AbortController();
    const make = () => sample.backups.make(false, signal);
    const file = join(dir, 'existing.tar.zst');
    writeFileSync(file, 'mine');
    await expect(writeBackupFile(file, make())).rejects.toMatchObject({code: 'EEXIST'});
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await writeBackupFile(file, make(), {replaces: true});
    await readArchive(file);
  });
});
