// SPDX-License-Identifier: Apache-2.0
/**
 * The evidence of a record: the event of its first alert as Suricata wrote it. One that is too long loses its longest parts until it is
 * short enough, bytes of packets first, and then says in `palisade_left_out` which ones.
 */
import {EVIDENCE_BYTES_MAX} from '../limits.ts';

/** Large, and kept elsewhere or of little use in part. In the order in which they go. */
const PARTS = ['packet', 'payload', 'payload_printable'] as const;
/** Parts of these objects go next, the longest first: HTTP headers and bodies, DNS answers, lists of files and addressees. */
const LAYERS_KEPT = new Set(['alert', 'flow', 'palisade_left_out']);

type Event = Record<string, unknown>;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const objectOf = (value: unknown): Event | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Event) : undefined;

/** `http.http_response_body`, or the whole of a part that is no object. */
const longestPart = (event: Event): readonly [holder: Event, key: string, path: string] | undefined => {
  let longest: readonly [Event, string, string] | undefined;
  let most = 0;
  const consider = (holder: Event, key: string, path: string): void => {
    const bytes = bytesOf(holder[key]);
    if (bytes <= most) return;
    most = bytes;
    longest = [holder, key, path];
  };
  for (const [name, value] of Object.entries(event)) {
    const layer = objectOf(value);
    if (LAYERS_KEPT.has(name)) continue;
    if (layer === undefined) consider(event, name, name);
    else for (const key of Object.keys(layer)) consider(layer, key, `${name}.${key}`);
  }
  return longest;
};

/** `json`: an alert, one line. */
export const evidenceOf = (json: string): string => {
  if (Buffer.byteLength(json) <= EVIDENCE_BYTES_MAX) return json;
  const event = JSON.parse(json) as Event;
  const leftOut: string[] = [];
  event['palisade_left_out'] = leftOut;
  const isShort = (): boolean => bytesOf(event) <= EVIDENCE_BYTES_MAX;
  for (const part of PARTS) {
    if (isShort()) break;
    if (event[part] === undefined) continue;
    delete event[part];
    leftOut.push(part);
  }
  while (!isShort()) {
    const [holder, key, path] = longestPart(event) ?? [];
    if (holder === undefined || key === undefined || path === undefined) break;
    delete holder[key];
    leftOut.push(path);
  }
  return JSON.stringify(event);
};
