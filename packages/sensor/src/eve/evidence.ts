// SPDX-License-Identifier: Apache-2.0
/**
 * The evidence of a record: the event of its first alert as Suricata wrote it. One that is too long loses its longest parts until it is
 * short enough, bytes of packets first, and then says in `palisade_left_out` which ones.
 */
import {EVIDENCE_BYTES_MAX} from '../limits.ts';

/** Large, and kept elsewhere or of little use in part. In the order in which they go. */
const PARTS = ['packet', 'payload', 'payload_printable'] as const;
/** Names in `palisade_left_out`, and characters of each: the last one is the number of others. */
const NAMES_MAX = 100;
const NAME_CHARS_MAX = 200;
/** Parts of these objects go next, the longest first: HTTP headers and bodies, DNS answers, lists of files and addressees. */
const LAYERS_KEPT = new Set(['alert', 'flow', 'palisade_left_out']);

type Event = Record<string, unknown>;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const objectOf = (value: unknown): Event | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Event) : undefined;

type Part = {
  readonly holder: Event;
  readonly key: string;
  /** `http.http_response_body`, or the name of a part that is no object. */
  readonly path: string;
  readonly bytes: number;
};

/** The longest first; of equal ones that which comes first. */
const partsOf = (event: Event): readonly Part[] =>
  Object.entries(event)
    .flatMap(([name, value]): Part[] => {
      const layer = objectOf(value);
      if (LAYERS_KEPT.has(name)) return [];
      if (layer === undefined) return [{holder: event, key: name, path: name, bytes: bytesOf(value)}];
      return Object.entries(layer).map(([key, part]) => ({
        ...{holder: layer, key, path: `${name}.${key}`, bytes: bytesOf(part)},
      }));
    })
    .sort((a, b) => b.bytes - a.bytes);

/** Between two parts, and between the name of a part and its value. */
const SEPARATOR_BYTES = 1;

/** `json`: an alert, one line. */
export const evidenceOf = (json: string): string => {
  if (Buffer.byteLength(json) <= EVIDENCE_BYTES_MAX) return json;
  const event = JSON.parse(json) as Event;
  const leftOut: string[] = [];
  event['palisade_left_out'] = leftOut;
  // Counted, not written again for each part: there may be thousands.
  let bytes = bytesOf(event);
  let others = 0;
  const leaveOut = ({holder, key, path, bytes: partBytes}: Part): void => {
    delete holder[key];
    bytes -= bytesOf(key) + partBytes + SEPARATOR_BYTES;
    if (leftOut.length === NAMES_MAX) return void others++;
    const name = path.slice(0, NAME_CHARS_MAX);
    leftOut.push(name);
    bytes += bytesOf(name) + SEPARATOR_BYTES;
  };
  for (const part of PARTS) {
    if (bytes <= EVIDENCE_BYTES_MAX) break;
    const value = event[part];
    if (value !== undefined) leaveOut({holder: event, key: part, path: part, bytes: bytesOf(value)});
  }
  for (const part of bytes <= EVIDENCE_BYTES_MAX ? [] : partsOf(event)) {
    if (bytes <= EVIDENCE_BYTES_MAX) break;
    leaveOut(part);
  }
  if (others > 0) leftOut[NAMES_MAX - 1] = `and ${others + 1} others`;
  return JSON.stringify(event);
};
