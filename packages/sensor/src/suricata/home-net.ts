// SPDX-License-Identifier: Apache-2.0
/**
 * HOME_NET, the addresses that rules take for our own, and EXTERNAL_NET, all others. Loads little: the server reads its flags with it.
 *
 * Suricata takes the negation of a list that has one family of addresses for addresses of that family only, so the other one is named.
 */
import {type AddressRange, type Network, parseNetwork, V4_BITS, V6_BITS} from '../networks.ts';

export const ANY = 'any';

/** Private networks of RFC 1918, shared addresses of RFC 6598, unique local (RFC 4193) and link-local (RFC 4291) ones of IPv6. */
export const DEFAULT_HOME_NET: readonly string[] = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
];

/** `word` with its `!`. */
type Entry = Network & {readonly isExclusion: boolean};
type Range = AddressRange;

const FORM = 'must be a network such as 10.0.0.0/8 or fd00::/8, or an address, with ! in front to exclude it';

/** The entry, or what is wrong with it. */
const parseEntry = (given: string): Entry | string => {
  const isExclusion = given.startsWith('!');
  const network = parseNetwork(isExclusion ? given.slice(1) : given);
  if (network === undefined) return FORM;
  const word = `${isExclusion ? '!' : ''}${network.word}`;
  return network.hasHostBits ? `has host bits set: write ${word}` : {...network, word, isExclusion};
};

/** What of `ranges` is not in `hole`. */
const without = (ranges: readonly Range[], hole: Range): Range[] =>
  ranges.flatMap(({first, last}) => {
    if (hole.last < first || hole.first > last) return [{first, last}];
    const before = hole.first > first ? [{first, last: hole.first - 1n}] : [];
    return hole.last < last ? [...before, {first: hole.last + 1n, last}] : before;
  });

/** What is wrong with the networks of one family taken together. */
const familyFaults = (networks: readonly Entry[], v4: boolean): string[] => {
  const included = networks.filter(network => network.v4 === v4 && !network.isExclusion);
  const excluded = networks.filter(network => network.v4 === v4 && network.isExclusion);
  const useless = excluded
    .filter(({first, last}) => included.every(one => last < one.first || first > one.last))
    .map(({word}) => `${word}: excludes nothing: it is not inside a listed network`);
  if (included.length === 0) return useless;
  const family = v4 ? 'IPv4' : 'IPv6';
  const left = excluded.reduce<readonly Range[]>((ranges, hole) => without(ranges, hole), included);
  if (left.length === 0) return [...useless, `no ${family} address is left: all listed networks are excluded`];
  const everything: Range = {first: 0n, last: (1n << BigInt(v4 ? V4_BITS : V6_BITS)) - 1n};
  const external = left.reduce<readonly Range[]>((ranges, hole) => without(ranges, hole), [everything]);
  if (external.length > 0) return useless;
  return [
    ...useless,
    `all ${family} addresses are listed, so no address would be external: exclude some, or use "${ANY}" alone`,
  ];
};

/** `words`: canonical, each once. `faults`: all of them, each beginning with the word that it is about where there is one. */
export type ParsedHomeNet = {readonly words: readonly string[]; readonly faults: readonly string[]};

/** Networks, `!` in front of those that are excluded; or `any`. */
export const parseHomeNet = (words: readonly string[]): ParsedHomeNet => {
  const given = words.map(word => word.trim()).filter(word => word !== '');
  if (given.length === 1 && given[0] === ANY) return {words: [ANY], faults: []};
  const networks: Entry[] = [];
  const faults: string[] = [];
  for (const text of given) {
    const network = text === ANY ? 'cannot be combined with networks' : parseEntry(text);
    if (typeof network === 'string') faults.push(`${text}: ${network}`);
    else networks.push(network);
  }
  if (given.length === 0) faults.push('lists no network');
  else if (given.every(text => text.startsWith('!')))
    faults.push('only excludes networks: list at least one network too');
  else if (faults.length === 0) faults.push(...familyFaults(networks, true), ...familyFaults(networks, false));
  return {words: [...new Set(networks.map(({word}) => word))], faults};
};

/** Suricata's address groups for words of `parseHomeNet` without faults. */
export const homeGroups = (words: readonly string[]): {readonly home: string; readonly external: string} => {
  if (words.includes(ANY)) return {home: ANY, external: ANY};
  const included = words.filter(word => !word.startsWith('!'));
  const other = [
    ...(included.some(word => word.includes('.')) ? [] : ['0.0.0.0/0']),
    ...(included.some(word => word.includes(':')) ? [] : ['::/0']),
  ];
  return {home: `[${words.join(',')}]`, external: `[${['!$HOME_NET', ...other].join(',')}]`};
};
