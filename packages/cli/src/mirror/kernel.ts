// SPDX-License-Identifier: Apache-2.0
/** What `ip`, `tc` and `bridge` report of this host, as far as mirrors need it. */
import {readFile} from 'node:fs/promises';
import {DIRECTIONS, type Direction} from '@palisade/ids-wire/mirror';
import {NOT_FOUND, type RunProgram} from '@palisade/server/run-program';
import {CommandError} from '../command-line/io.ts';

export type Link = {
  readonly name: string;
  readonly alias: string | undefined;
  readonly kind: string | undefined;
  readonly isUp: boolean;
  /** The device below it. */
  readonly below: string | undefined;
  readonly vni: number | undefined;
  readonly remote: string | undefined;
  readonly port: number | undefined;
};

/** One match of a filter; without handle, cookie and class: a table of matches. */
export type Filter = {
  readonly dev: string;
  readonly direction: Direction;
  readonly pref: number;
  readonly protocol: string;
  /** Of a u32 match, or of a filter of another kind. */
  readonly handle: string | undefined;
  readonly cookie: string | undefined;
  readonly classId: string | undefined;
  readonly toDev: string | undefined;
};

export type Kernel = {
  readonly links: readonly Link[];
  /** Interfaces with this qdisc. */
  readonly clsact: readonly string[];
  readonly ingress: readonly string[];
  readonly filters: readonly Filter[];
  /** UDP 4789 is bound in this network namespace. */
  readonly isPortTaken: boolean;
};

type Json = Readonly<Record<string, unknown>>;
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

/** Throws CommandError. */
export const readJson = async (run: RunProgram, argv: readonly string[]): Promise<readonly Json[]> => {
  const {code, stdout, stderr} = await run(argv);
  if (code === NOT_FOUND) throw new CommandError(`${argv[0]} is not installed; install the package iproute2`);
  if (code !== 0) throw new CommandError(`${argv.join(' ')}: ${stderr.trim()}`);
  try {
    return stdout.trim() === '' ? [] : list(JSON.parse(stdout));
  } catch (error) {
    throw new CommandError(`${argv.join(' ')}: prints no valid JSON; update the package iproute2`, {cause: error});
  }
};

const toLink = (json: Json): Link => {
  const info = object(json['linkinfo']);
  const data = object(info['info_data']);
  return {
    name: text(json['ifname']) ?? '',
    alias: text(json['ifalias']),
    kind: text(info['info_kind']),
    isUp: Array.isArray(json['flags']) && json['flags'].includes('UP'),
    below: text(json['link']),
    vni: count(data['id']),
    remote: text(data['remote']),
    port: count(data['port']),
  };
};

/** A dump begins each preference, and each hash table of u32, with a line of its own. */
const isTable = (json: Json): boolean => {
  const options = object(json['options']);
  return json['options'] === undefined || options['ht_divisor'] !== undefined;
};

const toFilter = (dev: string, direction: Direction, json: Json): Filter => {
  const options = object(json['options']);
  const [action] = list(options['actions']);
  return {
    dev,
    direction,
    pref: count(json['pref']) ?? 0,
    protocol: text(json['protocol']) ?? 'all',
    handle: isTable(json) ? undefined : (text(options['fh']) ?? String(options['handle'] ?? '')),
    cookie: text(action?.['cookie']),
    classId: text(options['flowid']),
    toDev: text(action?.['to_dev']),
  };
};

/** Also those of the kernel's own vxlan devices. Ref: proc(5), /proc/net/udp. */
const isUdpPortTaken = async (port: number): Promise<boolean> => {
  const tables = await Promise.all(['udp', 'udp6'].map(name => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')));
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return new RegExp(`^ *\\d+: [0-9A-F]+:${hex} `, 'm').test(tables.join('\n'));
};

/** Throws CommandError. */
export const readKernel = async (run: RunProgram, port: number): Promise<Kernel> => {
  const [links, qdiscs, isPortTaken] = await Promise.all([
    readJson(run, ['ip', '-json', '-details', 'link', 'show']),
    readJson(run, ['tc', '-json', 'qdisc', 'show']),
    isUdpPortTaken(port),
  ]);
  const devicesWith = (kind: string): string[] =>
    qdiscs.filter(qdisc => qdisc['kind'] === kind).flatMap(qdisc => text(qdisc['dev']) ?? []);
  const clsact = devicesWith('clsact');
  const filters: Filter[] = [];
  for (const dev of clsact)
    for (const direction of DIRECTIONS)
      for (const json of await readJson(run, ['tc', '-json', 'filter', 'show', 'dev', dev, direction]))
        filters.push(toFilter(dev, direction, json));
  return {links: links.map(toLink), clsact, ingress: devicesWith('ingress'), filters, isPortTaken};
};

export type Way = {readonly isLocal: boolean; readonly dev: string};

/** How packets leave for an address. Throws CommandError. */
export const wayTo = async (run: RunProgram, ip: string): Promise<Way> => {
  const [route] = await readJson(run, ['ip', '-json', 'route', 'get', ip]);
  return {isLocal: route?.['type'] === 'local', dev: text(route?.['dev']) ?? ''};
};

/** Where a vxlan device without a remote sends frames to. Throws CommandError. */
export const remotesOf = async (run: RunProgram, device: string): Promise<readonly {dst: string; port: number}[]> => {
  const entries = await readJson(run, ['bridge', '-json', 'fdb', 'show', 'dev', device]);
  return entries.map(entry => ({dst: text(entry['dst']) ?? '', port: count(entry['port']) ?? 0}));
};
