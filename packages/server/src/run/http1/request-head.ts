// SPDX-License-Identifier: Apache-2.0
/**
 * The head of a usual HTTP/1.1 request: one that every reader understands in the same way. Whatever is unusual, optional or wrong
 * in it is not judged here but left to node:http. Ref: RFC 9112 sections 2 to 6.
 */

export type RequestHead = {
  readonly method: string;
  /** Begins with a slash; ASCII. */
  readonly url: string;
  /** By lower-case name; none was given twice. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body that follows. */
  readonly bodyBytes: number;
  /** Where the body begins. */
  readonly end: number;
};

/** `partial`: more bytes are needed to tell. `unusual`: for node:http. */
export type HeadReading = RequestHead | 'partial' | 'unusual';

/** Longer ones are left to node:http, which takes more. */
export const HEAD_BYTES_MAX = 16 * 1024;

const END = Buffer.from('\r\n\r\n');
/** A target may have bytes beyond ASCII, as curl sends them in a query and Go takes them; node:http does not. */
const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE) (\/[\x21-\x7e\x80-\xff]*) HTTP\/1\.1$/;
const BEYOND_ASCII = /[\x80-\xff]/g;
/** Without the last line end: lines of printable ASCII, no line folded, none empty. */
const LINES = /^[\x21-\x7e][\t\x20-\x7e]*(?:\r\n[\x21-\x7e][\t\x20-\x7e]*)*$/;
const METHODS_BEGUN: readonly string[] = ['GET ', 'POST ', 'PUT ', 'PATCH ', 'DELETE '];
const LONGEST_METHOD = 7;
/** Bytes that a head can have. */
const POSSIBLE = /^[\t\r\n\x20-\x7e\x80-\xff]*$/;
const BARE_LINE_END = /\r[^\n]|[^\r]\n/;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const LENGTH = /^\d{1,15}$/;

/** More are left to node:http. */
const FIELDS_MAX = 1_000;

/** These change what the bytes after the head mean, or what becomes of the connection; `set-cookie` is a list in node:http. */
const DECISIVE: readonly string[] = [
  'transfer-encoding',
  'upgrade',
  'expect',
  'trailer',
  'proxy-connection',
  'set-cookie',
];

type Fields = {readonly headers: Readonly<Record<string, string>>; readonly bodyBytes: number};

/** Fields that are remembered, and how long they may be in all. */
const KNOWN_MAX = 64;
const KNOWN_BYTES_MAX = 2048;

/** Fields that came lately on any connection: clients send the same ones again and again. What it holds has a bound. */
export class KnownFields {
  readonly #byText = new Map<string, Fields>();

  get size(): number {
    return this.#byText.size;
  }

  /** Undefined: unusual ones. */
  read(text: string): Fields | undefined {
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const headers = LINES.test(text) ? fieldsOf(text) : undefined;
    if (headers === undefined || !isUsual(headers)) return undefined;
    const fields = {headers: Object.freeze(headers), bodyBytes: Number(headers['content-length'] ?? 0)};
    if (text.length <= KNOWN_BYTES_MAX) this.#remember(text, fields);
    return fields;
  }

  #remember(text: string, fields: Fields): void {
    if (this.#byText.size >= KNOWN_MAX) this.#byText.delete(this.#byText.keys().next().value ?? '');
    this.#byText.set(text, fields);
  }
}

/** Reads the heads of one connection. */
export class HeadReader {
  readonly #known: KnownFields;
  /** How much of a partial head was looked at: no byte is twice, however slowly a head comes. */
  #looked = 0;
  #hasLine = false;

  constructor(known = new KnownFields()) {
    this.#known = known;
  }

  /** The head at the beginning of `bytes`. After a partial one these are the same bytes and more. */
  read(bytes: Buffer): HeadReading {
    const end = bytes.indexOf(END, Math.max(0, this.#looked - END.length + 1));
    if (end < 0) return this.#couldBecomeHead(bytes) ? 'partial' : 'unusual';
    this.#looked = 0;
    this.#hasLine = false;
    if (end > HEAD_BYTES_MAX) return 'unusual';
    const text = bytes.toString('latin1', 0, end);
    const lineEnd = text.indexOf('\r\n');
    const line = lineEnd < 0 ? null : REQUEST_LINE.exec(text.slice(0, lineEnd));
    if (line === null) return 'unusual';
    const fields = this.#known.read(text.slice(lineEnd + 2));
    if (fields === undefined) return 'unusual';
    const [, method = '', target = ''] = line;
    const url = target.replace(BEYOND_ASCII, percentEncoded);
    return {method, url, headers: fields.headers, bodyBytes: fields.bodyBytes, end: end + END.length};
  }

  /** A wrong request line tells at once that no head of HTTP/1.1 comes; fields wait for the end. */
  #couldBecomeHead(bytes: Buffer): boolean {
    const from = Math.max(0, this.#looked - 1); // the byte before may be half of a line end
    this.#looked = bytes.length;
    if (bytes.length > HEAD_BYTES_MAX) return false;
    const added = bytes.toString('latin1', from);
    if (!POSSIBLE.test(added) || BARE_LINE_END.test(added)) return false;
    if (this.#hasLine) return true;
    const lineEnd = added.indexOf('\r\n');
    if (lineEnd < 0) return beginsMethod(bytes.toString('latin1', 0, LONGEST_METHOD));
    this.#hasLine = true;
    return REQUEST_LINE.test(bytes.toString('latin1', 0, from + lineEnd));
  }
}

const percentEncoded = (byte: string): string => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;

const beginsMethod = (text: string): boolean =>
  METHODS_BEGUN.some(method => method.startsWith(text) || text.startsWith(method));

/** Undefined: a line that is no field, a name that was given twice or is one of every object, or too many fields. */
const fieldsOf = (text: string): Record<string, string> | undefined => {
  const headers: Record<string, string> = {};
  let left = FIELDS_MAX;
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\r\n', at);
    const end = found < 0 ? text.length : found;
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end) return undefined;
    const given = text.slice(at, colon);
    const name = given.toLowerCase();
    if (left-- === 0 || !NAME.test(given) || headers[name] !== undefined) return undefined;
    headers[name] = text.slice(colon + 1, end).trim();
    at = end + 2;
  }
  return headers;
};

const isUsual = (headers: Record<string, string>): boolean => {
  if (headers['host'] === undefined || DECISIVE.some(name => headers[name] !== undefined)) return false;
  const [length, connection] = [headers['content-length'], headers['connection']];
  if (length !== undefined && !LENGTH.test(length)) return false;
  return connection === undefined || connection.toLowerCase() === 'keep-alive';
};
