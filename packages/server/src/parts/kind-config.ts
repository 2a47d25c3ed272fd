// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about Kubernetes kinds → KindSettings, with every fault at once. */
import {isIP} from 'node:net';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from '@palisade/kinds/settings';
import {namesIn} from './names-in.ts';
import {ageIn} from './units.ts';

export type KindFlags = {readonly [name in 'service-node-port-range' | 'event-ttl']: string} & {
  readonly 'service-cluster-ip-range': readonly string[];
  readonly mirror: string | undefined;
};

/** Bits that are free in a range: at least 4 addresses, at most a million, so that all of them can be looked at. */
const FREE_BITS = {least: 2, most: 20};
const EVENT_TTL_LEAST_MS = 1_000;

const rangeFault = (text: string): string | undefined => {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d+)$/.exec(text) ?? [];
  const family = isIP(address);
  const free = (family === 6 ? 128 : 32) - Number(bits);
  if (family === 0 || free < FREE_BITS.least || free > FREE_BITS.most) {
    return `--service-cluster-ip-range ${text}: must be a range such as 10.96.0.0/16 (from /12 to /30) or fd00:10:96::/112 (from /108 to /126)`;
  }
  return undefined;
};

const rangesOf = (given: readonly string[]): {ranges: readonly string[]; faults: string[]} => {
  const ranges = namesIn(given);
  if (ranges.length === 0) return {ranges: DEFAULT_KIND_SETTINGS.serviceIpRanges, faults: []};
  const faults = ranges.map(rangeFault).filter(fault => fault !== undefined);
  const [first = '', second] = ranges;
  if (ranges.length > 2) faults.push(`--service-cluster-ip-range ${ranges.join(',')}: must be one range, or two`);
  else if (second !== undefined && first.includes(':') === second.includes(':'))
    faults.push(`--service-cluster-ip-range ${ranges.join(',')}: two ranges must be one of IPv4 and one of IPv6`);
  return {ranges, faults};
};

const nodePortsOf = (text: string): KindSettings['nodePorts'] | undefined => {
  const [, first, last] = /^(\d+)-(\d+)$/.exec(text) ?? [];
  const range = {first: Number(first), last: Number(last)};
  return range.first >= 1 && range.first <= range.last && range.last <= 65_535 ? range : undefined;
};

/** `faults`: one line each. */
export const kindConfigOf = (o: KindFlags): {readonly kinds: KindSettings; readonly faults: readonly string[]} => {
  const {ranges, faults} = rangesOf(o['service-cluster-ip-range']);
  const nodePorts = nodePortsOf(o['service-node-port-range']);
  if (nodePorts === undefined)
    faults.push(`--service-node-port-range ${o['service-node-port-range']}: must be a range such as 30000-32767`);
  const eventTtlMs = ageIn(o['event-ttl']);
  if (eventTtlMs === undefined || eventTtlMs < EVENT_TTL_LEAST_MS)
    faults.push(`--event-ttl ${o['event-ttl']}: must be a time such as 1h, 30m or 7d`);
  return {
    kinds: {
      serviceIpRanges: ranges,
      nodePorts: nodePorts ?? DEFAULT_KIND_SETTINGS.nodePorts,
      eventTtlMs: eventTtlMs ?? DEFAULT_KIND_SETTINGS.eventTtlMs,
      mirror: o.mirror as KindSettings['mirror'],
    },
    faults,
  };
};
