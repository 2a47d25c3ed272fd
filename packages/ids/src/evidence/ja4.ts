// SPDX-License-Identifier: Apache-2.0
/**
 * JA4 of a TLS client, from the beginning of what it sent. Suricata 7 computes it, and leaves it out of alerts.
 * Ref: JA4 technical details of FoxIO (JA4, the TLS client part); RFC 8446 section 4.1.2; RFC 8701 (GREASE).
 */
import {createHash} from 'node:crypto';

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;
const COUNT_MAX = 99;
const HASH_DIGITS = 12;
const EXTENSION = {serverName: 0, signatureAlgorithms: 13, alpn: 16, supportedVersions: 43} as const;
const VERSIONS: Readonly<Record<number, string>> = {
  772: '13',
  771: '12',
  770: '11',
  769: '10',
  768: 's3',
  2: 's2',
};

const isGrease = (value: number): boolean => (value & 0x0f0f) === 0x0a0a && value >> 8 === (value & 0xff);
const hex = (value: number): string => value.toString(16).padStart(4, '0');
const hashed = (text: string): string =>
  text === '' ? '0'.repeat(HASH_DIGITS) : createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);
const counted = (count: number): string => String(Math.min(count, COUNT_MAX)).padStart(2, '0');

/** Reads in order; throws RangeError behind the end. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(bytes: number): number {
    const value = this.#bytes.readUIntBE(this.#at, bytes);
    this.#at += bytes;
    return value;
  }

  take(bytes: number): Buffer {
    if (bytes > this.left) throw new RangeError('cut off');
    this.#at += bytes;
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }

  /** With its length in front, in so many bytes. */
  vector(lengthBytes: number): Reader {
    return new Reader(this.take(this.number(lengthBytes)));
  }

  /** Of two bytes each. */
  all(): number[] {
    const values: number[] = [];
    while (this.left >= 2) values.push(this.number(2));
    return values;
  }
}

/** The handshake messages at the beginning, out of their records. */
const handshakeOf = (sent: Buffer): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0; at + RECORD_HEADER_BYTES <= sent.length && sent.readUInt8(at) === HANDSHAKE; ) {
    const bytes = sent.readUInt16BE(at + 3);
    parts.push(sent.subarray(at + RECORD_HEADER_BYTES, at + RECORD_HEADER_BYTES + bytes));
    at += RECORD_HEADER_BYTES + bytes;
  }
  return Buffer.concat(parts);
};

type Hello = {
  readonly version: number;
  readonly ciphers: readonly number[];
  readonly extensions: ReadonlyMap<number, Buffer>;
};

/** Throws RangeError for one that is cut off. Undefined: it is another message. */
const helloOf = (sent: Buffer): Hello | undefined => {
  const handshake = new Reader(handshakeOf(sent));
  if (handshake.left === 0 || handshake.number(1) !== CLIENT_HELLO) return undefined;
  const hello = handshake.vector(3);
  const version = hello.number(2);
  hello.take(32); // random
  hello.vector(1); // session id
  const ciphers = hello.vector(2).all();
  hello.vector(1); // compression
  const extensions = new Map<number, Buffer>();
  for (const list = hello.left > 0 ? hello.vector(2) : hello; list.left > 0; ) {
    const type = list.number(2);
    extensions.set(type, list.take(list.number(2)));
  }
  return {version, ciphers: ciphers.filter(value => !isGrease(value)), extensions};
};

const versionOf = ({version, extensions}: Hello): string => {
  const list = extensions.get(EXTENSION.supportedVersions);
  const offered = list === undefined ? [] : new Reader(list).vector(1).all();
  const best = Math.max(...offered.filter(value => !isGrease(value)), 0) || version;
  return VERSIONS[best] ?? '00';
};

/** First and last character of the first protocol; of one that is not alphanumeric, of its hexadecimal form. */
const alpnOf = ({extensions}: Hello): string => {
  const list = extensions.get(EXTENSION.alpn);
  if (list === undefined) return '00';
  const protocols = new Reader(list).vector(2);
  const first = protocols.left === 0 ? Buffer.alloc(0) : protocols.take(protocols.number(1));
  if (first.length === 0) return '00';
  const ends = Buffer.from([first[0] ?? 0, first.at(-1) ?? 0]).toString('latin1');
  if (/^[0-9A-Za-z]{2}$/.test(ends)) return ends;
  const digits = first.toString('hex');
  return `${digits.at(0)}${digits.at(-1)}`;
};

const sorted = (values: readonly number[]): string => values.map(hex).sort().join(',');

const fingerprintOf = (hello: Hello): string => {
  const {ciphers, extensions} = hello;
  const types = [...extensions.keys()].filter(type => !isGrease(type));
  const hasName = types.includes(EXTENSION.serverName);
  const listed = types.filter(type => type !== EXTENSION.serverName && type !== EXTENSION.alpn);
  const algorithms = extensions.get(EXTENSION.signatureAlgorithms);
  const signatures = algorithms === undefined ? [] : new Reader(algorithms).vector(2).all();
  const order = signatures.filter(value => !isGrease(value)).map(hex);
  const more = order.length === 0 ? '' : `_${order.join(',')}`;
  const head = `t${versionOf(hello)}${hasName ? 'd' : 'i'}${counted(ciphers.length)}${counted(types.length)}${alpnOf(hello)}`;
  return `${head}_${hashed(sorted(ciphers))}_${hashed(listed.length === 0 ? '' : `${sorted(listed)}${more}`)}`;
};

/** Undefined: it does not begin with a whole ClientHello. */
export const ja4Of = (sent: Buffer): string | undefined => {
  try {
    const hello = helloOf(sent);
    return hello === undefined ? undefined : fingerprintOf(hello);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // cut off
    throw error;
  }
};
