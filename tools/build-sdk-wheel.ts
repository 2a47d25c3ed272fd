// SPDX-License-Identifier: Apache-2.0
/**
 * A pure Python package as a wheel, the same bytes on every run, without any Python tool.
 * Layout: the package's files, then `<name>-<version>.dist-info/{METADATA,WHEEL,RECORD}`. Ref: PyPA binary distribution format.
 */
import {createHash} from 'node:crypto';
import {crc32, deflateRawSync} from 'node:zlib';

export type WheelProject = {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly requiresPython: string;
  readonly requires: readonly string[];
  readonly description: string;
};

/** `files`: path in the archive → content. */
export function buildWheel(project: WheelProject, files: ReadonlyMap<string, Buffer>): Buffer {
  const info = `${project.name}-${project.version}.dist-info`;
  const metadata = [
    'Metadata-Version: 2.1',
    `Name: ${project.name}`,
    `Version: ${project.version}`,
    `Summary: ${project.summary}`,
    'License: Apache-2.0',
    `Requires-Python: ${project.requiresPython}`,
    ...project.requires.map(requirement => `Requires-Dist: ${requirement}`),
    'Description-Content-Type: text/markdown',
    '',
    project.description,
  ].join('\n');
  const wheel = 'Wheel-Version: 1.0\nGenerator: palisade\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const all = new Map([
    ...[...files].sort(([a], [b]) => (a < b ? -1 : 1)),
    [`${info}/METADATA`, Buffer.from(metadata)] as const,
    [`${info}/WHEEL`, Buffer.from(wheel)] as const,
  ]);
  const record = [...all].map(([path, content]) => `${path},sha256=${digest(content)},${content.length}\n`).join('');
  all.set(`${info}/RECORD`, Buffer.from(`${record}${info}/RECORD,,\n`));
  return zip(all);
}

const digest = (content: Buffer): string => createHash('sha256').update(content).digest('base64url');

/** 1980-01-01, the first day that a zip archive knows. */
const DOS_DATE = 0x21;
const VERSION = 20;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
/** A regular file, rw-r--r--. */
const UNIX_MODE = 0o100644 << 16;

function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(UTF8_NAMES, 2);
    common.writeUInt16LE(DEFLATED, 4);
    common.writeUInt16LE(DOS_DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(UNIX_MODE >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    const madeBy = Buffer.from([VERSION, 3]);
    directory.push(Buffer.from('PK\x01\x02', 'latin1'), madeBy, common, tail, name);
    offset += 30 + name.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.size, 4);
  end.writeUInt16LE(files.size, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end]);
}
