// SPDX-License-Identifier: Apache-2.0
/** Flags of `palisade serve` about Kubernetes kinds → KindSettings, with every fault at once. */
import {serviceRangeFault} from '@palisade/kinds/service-range';
import {DEFAULT_KIND_SETTINGS, type KindSettings} from '@palisade/kinds/settings';
import {namesIn} from './names-in.ts';
import {ageIn} from './units.ts';

export type KindFlags = {readonly [name in 'service-node-port-range' | 'event-ttl']: string} & {
  readonly 'service-cluster-ip-range': readonly string[];
  readonly mirror: string | undefined;
};

const EVENT_TTL_LEAST_MS = 1_000;

const rangeFault = (text: string): string | undefined => {
  const fault = serviceRangeFault(text);
  return fault === undefined ? undefined : `--service-cluster-ip-range ${text}: ${fault}`;
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
    faults.push(`--event-ttl ${o['event-ttl']}: must be a time such as 1h, 30m or 7d, of at least 1s`);
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
