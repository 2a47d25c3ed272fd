// SPDX-License-Identifier: Apache-2.0
/**
 * Entries as bytes for a backup. Of each entry one line of JSON, then its value as it is, then a line break:
 *
 *   {"key":"/kube/endpoints/default/web","createRevision":"12","modRevision":"34","bytes":2}
 *   {}
 *
 * A block is a whole number of entries, so each can be read alone.
 */
import type {Entry} from '../store.ts';

/** A block ends with the entry that reaches this size. */
export const BLOCK_BYTES = 512 * 1024;
const LINE_BREAK = 10;
const AFTER_VALUE = Buffer.from('\n');

/** Bytes that are no entries. `offset`: where in the block. */
export class EntryFormatError extends Error {
  override readonly name = 'EntryFormatError';
  readonly offset: number;
  constructor(offset: number, what: string) {
    super(what);
    this.offset = offset;
  }
}

export function* encodeBlocks(entries: Iterable<Entry>, blockBytes = BLOCK_BYTES): Generator<Buffer> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for (const {key, createRevision, modRevision, value} of entries) {
    const head = {
      key,
      createRevision: String(createRevision),
      modRevision: String(modRevision),
      bytes: value.length,
    };
    const line = Buffer.from(`${JSON.stringify(head)}\n`);
    parts.push(line, value, AFTER_VALUE);
    bytes += line.length + value.length + 1;
    if (bytes < blockBytes) continue;
    yield Buffer.concat(parts, bytes);
    parts = [];
    bytes = 0;
  }
  if (parts.length > 0) yield Buffer.concat(parts, bytes);
}

/** The values are parts of `block`. Throws EntryFormatError. */
export function decodeBlock(block: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < block.length; ) {
    const end = block.indexOf(LINE_BREAK, at);
    if (end < 0) throw new EntryFormatError(at, 'an entry has no end');
    const head = headIn(block.toString('utf8', at, end), at);
    const from = end + 1;
    const to = from + head.bytes;
    if (block[to] !== LINE_BREAK) throw new EntryFormatError(at, `the value of ${head.key} is not ${head.bytes} bytes`);
    const {key, createRevision, modRevision} = head;
    entries.push({key, createRevision, modRevision, value: block.subarray(from, to)});
    at = to + 1;
  }
  return entries;
}

type Head = Omit<Entry, 'value'> & {readonly bytes: number};

const headIn = (line: string, at: number): Head => {
  let head: Readonly<Record<string, unknown>>;
  try {
    head = Object(JSON.parse(line));
  } catch {
    throw new EntryFormatError(at, 'an entry does not begin with a line of JSON');
  }
  const {key, bytes} = head;
  const [createRevision, modRevision] = [revisionIn(head['createRevision']), revisionIn(head['modRevision'])];
  const isSound = typeof key === 'string' && key !== '' && Number.isSafeInteger(bytes) && Number(bytes) >= 0;
  if (!isSound || createRevision === undefined || modRevision === undefined || createRevision > modRevision)
    throw new EntryFormatError(at, 'an entry has a wrong key, revision or size');
  return {key, createRevision, modRevision, bytes: Number(bytes)};
};

const revisionIn = (value: unknown): bigint | undefined =>
  typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? BigInt(value) : undefined;
