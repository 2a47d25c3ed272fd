// SPDX-License-Identifier: Apache-2.0
/** Bytes as people read them: rows of a hex dump and of text. Nothing is left out: bytes that cannot be printed have signs. */

/** From `start` to before `end`. */
export type Range = {readonly start: number; readonly end: number};
/** A run of one kind. `isOdd`: not printable, so `text` is a sign for it. */
export type Run = {readonly text: string; readonly isMarked: boolean; readonly isOdd: boolean};
/** One line of a hex dump. */
export type HexRow = {readonly offset: string; readonly hex: readonly Run[]; readonly ascii: readonly Run[]};
export type TextRow = {readonly offset: string; readonly runs: readonly Run[]};

/** Undefined: it is not base64. */
export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const two = (byte: number): string => byte.toString(16).padStart(2, '0');
export const offsetText = (offset: number): string => offset.toString(16).padStart(8, '0');
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;

/** Whether each byte is in a range. */
export function markedBytes(length: number, ranges: readonly Range[]): Uint8Array {
  const marked = new Uint8Array(length);
  for (const {start, end} of ranges) marked.fill(1, start, end);
  return marked;
}

/** Adds to the last run if it is of the same kind. */
function add(runs: Run[], run: Run): void {
  const last = runs.at(-1);
  if (last !== undefined && last.isMarked === run.isMarked && last.isOdd === run.isOdd)
    runs[runs.length - 1] = {...last, text: last.text + run.text};
  else runs.push(run);
}

/** Row `index` of a dump with `width` bytes a row, `marked` as from markedBytes. */
export function hexRow(bytes: Uint8Array, marked: Uint8Array, index: number, width: number): HexRow {
  const [hex, ascii]: [Run[], Run[]] = [[], []];
  const end = Math.min(bytes.length, (index + 1) * width);
  for (let at = index * width; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const isMarked = marked[at] === 1;
    // The gap belongs to the bytes around it.
    const gap = at === index * width ? '' : at % 8 === 0 ? '  ' : ' ';
    if (gap !== '') add(hex, {text: gap, isMarked: isMarked && marked[at - 1] === 1, isOdd: false});
    add(hex, {text: two(byte), isMarked, isOdd: false});
    add(ascii, {text: isPrintable(byte) ? String.fromCharCode(byte) : '·', isMarked, isOdd: !isPrintable(byte)});
  }
  return {offset: offsetText(index * width), hex, ascii};
}

/** As `hexdump -C` prints it. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const halves = [row.slice(0, 8), row.slice(8)].map(half => half.map(two).join(' '));
    const ascii = row.map(byte => (isPrintable(byte) ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${offsetText(at)}  ${halves.join('  ').padEnd(48)}  |${ascii}|`);
  }
  return lines.join('\n');
}

export const hexText = (bytes: Uint8Array): string => [...bytes].map(two).join('');
/** UTF-8; other bytes are �. */
export const plainText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

const LINE_FEED = 0x0a;

const NAMED: Readonly<Record<number, string>> = {9: '\\t', 10: '\\n', 13: '\\r'};
/** As in a string of C; `isOdd` distinguishes it from the same characters in the payload. */
const signOf = (byte: number): string => NAMED[byte] ?? `\\x${two(byte)}`;

/** Lines of text, each at most about `columns` characters wide. */
export function textRows(bytes: Uint8Array, marked: Uint8Array, columns: number): readonly TextRow[] {
  const rows: TextRow[] = [];
  let [runs, start, used]: [Run[], number, number] = [[], 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    const isOdd = !isPrintable(byte);
    const text = isOdd ? signOf(byte) : String.fromCharCode(byte);
    add(runs, {text, isMarked: marked[at] === 1, isOdd});
    used += text.length;
    const isEnd = byte === LINE_FEED || (used >= columns && bytes[at + 1] !== LINE_FEED && byte !== 0x0d);
    if (!isEnd && at < bytes.length - 1) continue;
    rows.push({offset: offsetText(start), runs});
    [runs, start, used] = [[], at + 1, 0];
  }
  return rows;
}
