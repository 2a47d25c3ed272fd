// SPDX-License-Identifier: Apache-2.0
/**
 * The witness of what Suricata wrote: every EVE file of an endpoint is opened as soon as it is there and kept open, so its lines can be
 * read after the product has rotated and removed it. Nothing of the product is used here: ids, keys and times are worked out again.
 */
import {closeSync, fstatSync, openSync, readdirSync, readSync} from 'node:fs';
import {join} from 'node:path';

const NEWLINE = 0x0a;
const FILE_LENGTH = 8;

export type AlertLine = {
  /** Of the record that begins with this line, if one does. */
  readonly id: string;
  readonly threat: string;
  /** Equal in it: candidates for one record. */
  readonly key: string;
  readonly ms: number;
};
export type FlowLine = {readonly id: string; readonly session: string};
/** Of Suricata, as far as the file has it. `counted`: `detect.alert` of its last counts. `missing`: counted before their lines came. */
export type EngineRun = {alerts: number; counted: number; missing: number};

type EveFile = {readonly fd: number; offset: number; rest: Buffer; restAt: number; name: string};
type Event = {
  readonly event_type?: string;
  readonly timestamp?: string;
  readonly [name: string]: unknown;
};

/** `2026-11-21T09:50:33.575344+0000`: microseconds since the epoch. */
const microsOf = (stamp: string): number => {
  const [, seconds = '', fraction = '0'] = /^(.*?)(?:\.(\d+))?[+-]\d{4}$/.exec(stamp) ?? [];
  return Date.parse(`${seconds}Z`) * 1000 + Number(fraction.padEnd(6, '0'));
};
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export class EveWitness {
  readonly alerts: AlertLine[] = [];
  readonly flows: FlowLine[] = [];
  readonly runs: EngineRun[] = [];
  /** The first part of each file's name in ids of records. */
  readonly names = new Set<string>();
  /** Lines that are no JSON. */
  torn = 0;
  readonly #endpoints: string;
  readonly #marks: Set<string>;
  readonly #files: EveFile[] = [];

  /** `endpoints`: the folder of all sensors, where only one is. `marks`: of files that are somebody else's, or of an earlier witness. */
  constructor(endpoints: string, marks: Set<string>) {
    this.#endpoints = endpoints;
    this.#marks = marks;
  }

  get files(): number {
    return this.#files.length;
  }

  /** Opens files that are new. Called often: a file is there for a fifth of a second at least. */
  look(): void {
    for (const folder of entriesOf(this.#endpoints).filter(name => !name.startsWith('gone-')))
      for (const name of entriesOf(join(this.#endpoints, folder))
        .filter(entry => /^eve\..*json$/.test(entry))
        .sort(rotatedFirst))
        this.#open(join(this.#endpoints, folder, name));
  }

  #open(path: string): void {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch {
      return; // removed or renamed meanwhile
    }
    const {dev, ino} = fstatSync(fd);
    const mark = `${dev}-${ino}`;
    if (this.#marks.has(mark)) closeSync(fd);
    else this.#files.push({fd, offset: 0, rest: Buffer.alloc(0), restAt: 0, name: ''});
    this.#marks.add(mark); // the inode is not used again while the file is open here
  }

  /** Takes in all whole lines that are there now, in the order in which Suricata wrote them. */
  read(): void {
    this.look();
    const block = Buffer.alloc(1024 * 1024);
    for (const file of this.#files)
      for (;;) {
        const bytes = readSync(file.fd, block, 0, block.length, file.offset);
        if (bytes === 0) break;
        file.offset += bytes;
        this.#lines(file, Buffer.concat([file.rest, block.subarray(0, bytes)]));
      }
  }

  #lines(file: EveFile, text: Buffer): void {
    let at = 0;
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, at)) {
      if (end > at) this.#line(file, text.toString('utf8', at, end), file.restAt + at);
      at = end + 1;
    }
    file.rest = Buffer.from(text.subarray(at));
    file.restAt += at;
  }

  #line(file: EveFile, json: string, offset: number): void {
    let event: Event;
    try {
      event = JSON.parse(json) as Event;
    } catch {
      this.torn++;
      return;
    }
    const run = this.runs.at(-1);
    const field = (group: string, name: string): unknown =>
      (event[group] as Record<string, unknown> | undefined)?.[name];
    const idAt = (stamp: unknown): string => `${hex(microsOf(String(stamp)), 13)}-${file.name}-${hex(offset, 8)}`;
    if (event.event_type === 'palisade' && typeof event['file'] === 'string') {
      file.name = event['file'].replaceAll('-', '').slice(0, FILE_LENGTH);
      this.names.add(file.name);
    } else if (event.event_type === 'palisade') this.runs.push({alerts: 0, counted: 0, missing: 0});
    else if (event.event_type === 'alert') {
      if (run !== undefined) run.alerts++;
      const threat = `${field('alert', 'gid')}:${field('alert', 'signature_id')}`;
      const key = [threat, event['src_ip'], event['dest_ip'], applicationOf(event['app_proto'])].join(' ');
      this.alerts.push({
        id: idAt(event.timestamp),
        threat,
        key,
        ms: Math.floor(microsOf(String(event.timestamp)) / 1000),
      });
    } else if (event.event_type === 'flow')
      this.flows.push({id: idAt(field('flow', 'start')), session: String(event['flow_id'])});
    else if (event.event_type === 'stats' && run !== undefined) {
      run.counted = Number((field('stats', 'detect') as Record<string, unknown> | undefined)?.['alert'] ?? 0);
      run.missing = Math.max(run.missing, run.counted - run.alerts);
    }
  }

  close(): void {
    for (const {fd} of this.#files.splice(0)) closeSync(fd);
  }
}

const applicationOf = (name: unknown): unknown => (name === undefined || name === 'failed' ? 'unknown' : name);
/** `eve.json` is the newest. */
const rotatedFirst = (a: string, b: string): number => (a === 'eve.json' ? 1 : b === 'eve.json' ? -1 : a < b ? -1 : 1);

const entriesOf = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};
