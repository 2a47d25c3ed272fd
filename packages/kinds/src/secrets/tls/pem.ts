// SPDX-License-Identifier: Apache-2.0
/** PEM as Go reads it. Ref: Go 1.26 encoding/pem/pem.go Decode; RFC 7468. */

export type PemBlock = {readonly type: string; readonly bytes: Buffer};

const BEGIN = '-----BEGIN ';
const END = '\n-----END ';
const DASHES = '-----';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** All blocks, in order; text that is not a block is skipped. */
export function* pemBlocks(bytes: Buffer): Generator<PemBlock> {
  const text = bytes.toString('latin1');
  let at = 0;
  for (;;) {
    const found = nextBlock(text, at);
    if (found === undefined) return;
    yield found.block;
    at = found.next;
  }
}

/** A line without its end and the blanks before it, and where the next one begins. */
const lineAt = (text: string, from: number): {readonly line: string; readonly next: number} => {
  const end = text.indexOf('\n', from);
  const last = end < 0 ? text.length : end > from && text[end - 1] === '\r' ? end - 1 : end;
  let kept = last;
  while (kept > from && (text[kept - 1] === ' ' || text[kept - 1] === '\t')) kept--;
  return {line: text.slice(from, kept), next: end < 0 ? text.length : end + 1};
};

type Found = {readonly block: PemBlock; readonly next: number};

/** A block ends at the first END line and begins at the last BEGIN line before it. One that is malformed is skipped with its end. */
const nextBlock = (text: string, from: number): Found | undefined => {
  let at = from;
  for (;;) {
    const end = text.indexOf(END, at);
    if (end < 0) return undefined;
    const begin = at + text.slice(at, end).lastIndexOf(BEGIN);
    const beginsLine = begin >= at && (begin === at || text[begin - 1] === '\n');
    const read = beginsLine ? readBlock(text, begin + BEGIN.length, end) : 'malformed';
    if (read === 'nothing more') return undefined;
    if (read !== 'malformed') return read;
    at = end + END.length;
  }
};

const readBlock = (text: string, from: number, end: number): Found | 'malformed' | 'nothing more' => {
  const head = lineAt(text, from);
  if (!head.line.endsWith(DASHES)) return 'malformed';
  const type = head.line.slice(0, -DASHES.length);
  const body = behindHeaders(text, head.next);
  if (body === undefined) return 'nothing more';
  const trailer = end + END.length;
  if (body > head.next && end < body) return trailer < body ? 'nothing more' : 'malformed';
  const closing = `${type}${DASHES}`;
  if (!text.startsWith(closing, trailer)) return 'malformed';
  if (lineAt(text, trailer + closing.length).line !== '') return 'malformed';
  const base64 = text.slice(body, Math.max(body, end)).replace(/[ \t\r\n]/g, '');
  if (!BASE64.test(base64)) return 'malformed';
  return {block: {type, bytes: Buffer.from(base64, 'base64')}, next: lineAt(text, trailer - 1).next};
};

/** Lines with a colon are headers. Undefined at the end of the text. */
const behindHeaders = (text: string, from: number): number | undefined => {
  let at = from;
  while (at < text.length) {
    const {line, next} = lineAt(text, at);
    if (!line.includes(':')) return at;
    at = next;
  }
  return undefined;
};
