// SPDX-License-Identifier: Apache-2.0
/** Variables of users: which of Suricata's two groups each belongs to, and whether its value can be one of that group. */
import {parseIp} from '@palisade/ids-wire/ip';
import {ADDRESS_GROUPS, PORT_GROUPS, type VariableGroups} from '../../suricata/settings/variable-groups.ts';
import {type Group, type UsedVariable, variablesIn} from './rule-header.ts';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const VALUE_CHARS_MAX = 16_384;
const SHOWN_MAX = 80;
const PORT_MAX = 65_535;
const V4_BITS = 32;
const V6_BITS = 128;

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= PORT_MAX;
/** `80`, `1024:`, `:1023`, `80:90`. */
const isPorts = (text: string): boolean => {
  const [first = '', last, ...rest] = text.split(':');
  if (rest.length > 0 || text === ':') return false;
  return last === undefined ? isPort(first) : (first === '' || isPort(first)) && (last === '' || isPort(last));
};
const isAddress = (text: string): boolean => {
  const range = text.split('-');
  if (range.length === 2) return range.every(one => parseIp(one) !== undefined);
  const [address = '', bits, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return false;
  if (bits === undefined) return true;
  if (ip.v4 && parseIp(bits)?.v4 === true) return true; // a netmask
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (ip.v4 ? V4_BITS : V6_BITS);
};
const FITS: Readonly<Record<Group, (text: string) => boolean>> = {address: isAddress, port: isPorts};
const FORM: Readonly<Record<Group, string>> = {
  address: 'addresses such as 10.0.0.53 or [10.0.0.0/8,!10.1.0.0/16]',
  port: 'ports such as 8080 or [80,8000:8100]',
};

/** The words of a value, without brackets, commas and `!`; undefined: its brackets do not fit, or a word is missing. */
const wordsIn = (value: string): string[] | undefined => {
  const words: string[] = [];
  let at = 0;
  const skip = (): void => {
    while (value[at] === ' ') at++;
  };
  const item = (depth: number): boolean => {
    skip();
    if (value[at] === '!') at++;
    skip();
    if (value[at] !== '[') {
      const [word = ''] = /^[A-Za-z0-9_.:/$-]+/.exec(value.slice(at)) ?? [];
      if (word === '') return false;
      words.push(word);
      at += word.length;
      return true;
    }
    if (depth > 8) return false;
    do {
      at++;
      if (!item(depth + 1)) return false;
      skip();
    } while (value[at] === ',');
    return value[at++] === ']';
  };
  const isWhole = item(0);
  skip();
  return isWhole && at === value.length ? words : undefined;
};

const isNeutral = (word: string): boolean => word === 'any' || word.startsWith('$');
const fits = (words: readonly string[], group: Group): boolean =>
  words.every(word => (word.startsWith('$') ? NAME.test(word.slice(1)) : word === 'any' || FITS[group](word)));

const knownGroup = (name: string): Group | undefined =>
  ADDRESS_GROUPS.includes(name) ? 'address' : PORT_GROUPS.includes(name) ? 'port' : undefined;

/** A group, or what is wrong. */
const groupOf = (
  name: string,
  words: readonly string[],
  used: ReadonlyMap<string, ReadonlySet<Group>>,
): {readonly group: Group} | string => {
  const known = knownGroup(name);
  if (known !== undefined) return {group: known};
  const uses = [...(used.get(name) ?? [])];
  if (uses.length > 1) return 'rules use it both for addresses and for ports: use two variables';
  const [use] = uses;
  if (use !== undefined) return {group: use};
  const fitting = (['address', 'port'] as const).filter(group =>
    words.some(word => !isNeutral(word) && FITS[group](word)),
  );
  const [byValue] = fitting;
  if (byValue !== undefined) return {group: byValue};
  const [byReference] = words.flatMap(word => knownGroup(word.slice(1)) ?? []);
  return {group: byReference ?? 'address'};
};

const valueFault = (value: string, words: readonly string[] | undefined, group: Group): string | undefined =>
  words === undefined || value.length > VALUE_CHARS_MAX || !fits(words, group)
    ? `${JSON.stringify(value.slice(0, SHOWN_MAX))} is not a value: it must be ${FORM[group]}`
    : undefined;

/** What is wrong with references between variables. */
const referenceFaults = (groups: Readonly<Record<Group, ReadonlyMap<string, string>>>): string[] =>
  (['address', 'port'] as const).flatMap(group => {
    const own = groups[group];
    const isThere = (name: string): boolean => own.has(name) || knownGroup(name) === group;
    const reaches = (from: string, to: string, seen: Set<string>): boolean =>
      variablesIn(own.get(from) ?? '').some(name => {
        if (name === to) return true;
        if (seen.has(name)) return false;
        seen.add(name);
        return reaches(name, to, seen);
      });
    return [...own].flatMap(([name, value]) => {
      const missing = variablesIn(value).filter(one => !isThere(one));
      if (missing.length > 0)
        return [`${name}: there is no variable $${missing.join(', $')} of ${group === 'port' ? 'ports' : 'addresses'}`];
      return reaches(name, name, new Set()) ? [`${name}: refers to itself`] : [];
    });
  });

/** One fault each, beginning with the name, of names and values that are wrong whatever rules make of them. */
export const valueFaults = (vars: Readonly<Record<string, string>>): string[] => {
  const alone = (name: string, value: string): readonly string[] => groupVariables({[name]: value}, [], false).faults;
  return Object.entries(vars).flatMap(([name, value]) => alone(name, value));
};

/** `faults`: one each, beginning with the name. */
export const groupVariables = (
  vars: Readonly<Record<string, string>>,
  used: Iterable<UsedVariable>,
  withReferences = true,
): {readonly groups: VariableGroups; readonly faults: readonly string[]} => {
  const uses = new Map<string, Set<Group>>();
  for (const {name, group} of used) uses.set(name, (uses.get(name) ?? new Set()).add(group));
  const groups = {address: new Map<string, string>(), port: new Map<string, string>()};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(vars).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const words = wordsIn(value);
    const found = groupOf(name, words ?? [], uses);
    const fault = !NAME.test(name)
      ? 'must be a name of letters, digits and _'
      : name === 'HOME_NET'
        ? 'your networks are set with --home-net'
        : typeof found === 'string'
          ? found
          : valueFault(value, words, found.group);
    if (fault !== undefined || typeof found === 'string') faults.push(`${name}: ${fault}`);
    else groups[found.group].set(name, value.trim());
  }
  if (withReferences) faults.push(...referenceFaults(groups));
  const record = (map: ReadonlyMap<string, string>): Record<string, string> => Object.fromEntries(map);
  return {groups: {address: record(groups.address), port: record(groups.port)}, faults};
};

/** Why Suricata would refuse the rule for a variable; undefined: all are there. */
export const missingVariables = (used: readonly UsedVariable[], groups: VariableGroups): string | undefined => {
  const missing = used.filter(({name, group}) => !Object.hasOwn(groups[group], name) && knownGroup(name) !== group);
  if (missing.length === 0) return undefined;
  return [...new Map(missing.map(one => [one.name, one])).values()]
    .map(({name, group}) => `the ${group} variable $${name} is not defined: set it with --var ${name}=…`)
    .join('; ');
};
