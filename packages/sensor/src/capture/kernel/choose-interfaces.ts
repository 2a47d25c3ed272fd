// SPDX-License-Identifier: Apache-2.0
/** Which interfaces are read when nobody names them, and whether those that are named are there. */
import {networkInterfaces} from 'node:os';
import {arrivalLinks} from './ip-link.ts';
import {parseDefaultRoutes, parseInterfaceNames, readTable} from './kernel-tables.ts';

export const LOOPBACK = 'lo';
/** Each has a ring of about 66 MB in Suricata. */
export const INTERFACES_MAX = 4;

export type Chosen = {
  readonly interfaces: readonly string[];
  /** Packets may arrive on these, too, and they are not read. */
  readonly left: readonly string[];
};

/** Where packets to the address may come from. `links`: those that packets of other hosts may arrive on. */
export const interfacesFor = (ip: string, defaultRoutes: readonly string[], links: readonly string[]): Chosen => {
  if (ip.startsWith('127.')) return {interfaces: [LOOPBACK], left: []};
  const holders = Object.entries(networkInterfaces())
    .filter(([, addresses]) => addresses?.some(({address}) => address === ip))
    .map(([name]) => name);
  const likely = [...new Set([LOOPBACK, ...defaultRoutes, ...holders])];
  const all = [...new Set([...likely, ...links])];
  if (all.length <= INTERFACES_MAX) return {interfaces: all, left: []};
  return {interfaces: likely, left: all.slice(likely.length)};
};

/** As things are now. */
export const chooseInterfaces = async (ip: string): Promise<Chosen> => {
  const links = ip.startsWith('127.') ? [] : await arrivalLinks();
  return interfacesFor(ip, parseDefaultRoutes(await readTable('route')), links);
};

/** Undefined: they are all there. */
export const whyNoInterface = async (names: readonly string[]): Promise<string | undefined> => {
  if (names.length === 0) return undefined;
  const there = parseInterfaceNames(await readTable('dev'));
  const missing = names.filter(name => !there.includes(name));
  if (missing.length === 0) return undefined;
  return `--capture-interface ${missing.join(',')}: there is no such interface, only ${there.join(', ')}: name one of these, or create it first`;
};
