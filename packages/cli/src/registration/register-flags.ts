// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade register` and `palisade deregister`, and what their values mean. */
import {dns1123LabelFaults, dns1123SubdomainFaults, labelValueFaults} from '@palisade/kube-wire';
import {readSeconds, type SecondsRange} from '../command-line/durations.ts';
import {UsageError} from '../command-line/io.ts';
import type {OptionTable, Parsed} from '../command-line/options.ts';
import {connectionOptions} from '../connection/connection.ts';
import {checkNamespace, namespaceOption} from '../connection/kube-target.ts';
import type {Wanted} from './hold.ts';
import {defaultName, labelOfHost} from './names.ts';
import {addressFault} from './own-address.ts';
import {readPorts} from './port-flags.ts';

const DAY = 86_400;
const TTL: SecondsRange = {least: 1, most: DAY};
const REMOVE_AFTER: SecondsRange = {least: 1, most: 30 * DAY};
const DRAIN: SecondsRange = {least: 0, most: DAY};

export const registerFlags = {
  group: {type: 'string', value: 'NAME', completes: 'group', doc: 'register in this EndpointGroup; required'},
  port: {
    type: 'list',
    value: 'PORT',
    doc: 'offer this port: [NAME=]NUMBER[/PROTOCOL][:APPPROTOCOL]',
  },
  check: {type: 'list', value: 'CHECK', doc: 'check a port, unless its group does: [PORT=]TYPE[:ARG]'},
  'check-period': {type: 'string', value: 'DURATION', doc: 'check so often (default 10s)'},
  'check-timeout': {type: 'string', value: 'DURATION', doc: 'fail a check without an answer after this (default 1s)'},
  'check-failures': {type: 'string', value: 'N', doc: 'not ready after N failed checks in a row (default 3)'},
  'check-passes': {type: 'string', value: 'N', doc: 'ready after N passed checks in a row (default 1)'},
  address: {
    type: 'list',
    value: 'IP',
    doc: 'register this address (default: the own one on the route to the server)',
  },
  hostname: {type: 'string', value: 'HOST', doc: 'host name of the member (default: that of this machine)'},
  'node-name': {type: 'string', value: 'NODE', doc: 'name of the node that hosts the member'},
  name: {type: 'string', value: 'NAME', doc: 'name of the registration (default: GROUP-HOSTNAME)'},
  label: {type: 'list', value: 'KEY=VALUE', doc: 'label the registration'},
  ttl: {type: 'string', value: 'DURATION', default: '30s', doc: 'leave the group if not renewed for so long'},
  'remove-after': {
    type: 'string',
    value: 'DURATION',
    default: '10m',
    doc: 'delete the registration so long after it expired',
  },
  drain: {
    type: 'string',
    value: 'DURATION',
    default: '0s',
    doc: 'on SIGTERM, be not ready for so long before leaving',
  },
  ...namespaceOption,
  ...connectionOptions,
  json: {...connectionOptions.json, doc: 'print each event as JSON on stdout, one object a line'},
} as const satisfies OptionTable;

export const deregisterFlags = {
  group: {type: 'string', value: 'NAME', completes: 'group', doc: 'deregister this machine from this EndpointGroup'},
  hostname: {type: 'string', value: 'HOST', doc: 'with --group: this machine (default: the own host name)'},
  drain: {type: 'string', value: 'DURATION', default: '0s', doc: 'make it not ready for so long first'},
  ...namespaceOption,
  ...connectionOptions,
} as const satisfies OptionTable;

export type RegisterFlags = Parsed<typeof registerFlags>;

const readLabels = (texts: readonly string[], faults: string[]): Readonly<Record<string, string>> => {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const [key, value] = [text.slice(0, at), text.slice(at + 1)];
    if (at < 1) faults.push(`--label ${text}: must be KEY=VALUE`);
    else if (labels.has(key)) faults.push(`--label ${text}: the key ${key} is given twice`);
    else labels.set(key, value);
    for (const fault of at < 1 ? [] : labelValueFaults(value)) faults.push(`--label ${text}: ${fault}`);
  }
  return Object.fromEntries(labels);
};

export const readDrain = (text: string, faults: string[]): number => readSeconds('drain', text, DRAIN, faults);

const named = (flag: string, text: string | undefined, faultsOf: (text: string) => string[]): string[] =>
  text === undefined ? [] : faultsOf(text).map(fault => `--${flag} ${text}: ${fault}`);

/** The group is the value of a label, too. */
const groupFaults = (group: string): string[] => {
  const faults = dns1123SubdomainFaults(group);
  return faults.length > 0 ? faults : labelValueFaults(group);
};

/** `host`: the host name of this machine. Undefined with a fault where no name can be made of it. */
export const nameFor = (group: string, hostname: string | undefined, host: string, faults: string[]): string => {
  const name = defaultName(group, hostname ?? host);
  if (name === undefined)
    faults.push(`the host name "${hostname ?? host}" cannot be a part of a name; give --name NAME`);
  return name ?? '';
};

export type RegisterPlan = {readonly name: string; readonly wanted: Wanted; readonly drainSeconds: number};

/** Throws UsageError with all faults. */
export const readPlan = (flags: RegisterFlags, host: string): RegisterPlan => {
  const {group = '', hostname, address: addresses} = flags;
  const faults: string[] = group === '' ? ['--group NAME is required: the EndpointGroup to register in'] : [];
  const nodeName = flags['node-name'];
  faults.push(
    ...(group === '' ? [] : named('group', group, groupFaults)),
    ...named('hostname', hostname, dns1123LabelFaults),
    ...named('node-name', nodeName, dns1123SubdomainFaults),
    ...named('name', flags.name, dns1123SubdomainFaults),
    ...addresses
      .map(ip => [ip, addressFault(ip)])
      .flatMap(([ip, fault]) => (fault === '' ? [] : `--address ${ip}: ${fault}`)),
  );
  const ports = readPorts(flags.port, flags.check, flags, faults);
  const labels = readLabels(flags.label, faults);
  const ttlSeconds = readSeconds('ttl', flags.ttl, TTL, faults);
  const removeAfterSeconds = readSeconds('remove-after', flags['remove-after'], REMOVE_AFTER, faults);
  const drainSeconds = readDrain(flags.drain, faults);
  const name = flags.name ?? (group === '' ? '' : nameFor(group, hostname, host, faults));
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  checkNamespace(flags.namespace);
  const ownHostname = hostname ?? labelOfHost(host);
  const spec = {
    group,
    ...(addresses.length === 0 ? {} : {addresses}),
    ...(ownHostname === '' ? {} : {hostname: ownHostname}),
    ...(nodeName === undefined ? {} : {nodeName}),
    ...(ports.length === 0 ? {} : {ports}),
    ttlSeconds,
    removeAfterSeconds,
  };
  return {name, wanted: {spec, labels}, drainSeconds};
};
