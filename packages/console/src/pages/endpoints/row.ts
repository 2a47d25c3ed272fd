// SPDX-License-Identifier: Apache-2.0
/** A set of endpoints as the list shows it: few small values, so that 100,000 of them are no burden. */
import type {Endpoints} from '@palisade/client/browser';
import {parseTime} from '../../ui/data/time-text.ts';

export type EndpointsRow = {
  readonly namespace: string;
  readonly name: string;
  readonly ready: number;
  readonly total: number;
  /** `http:8080, 9090/UDP`. */
  readonly ports: string;
  readonly portNumbers: readonly number[];
  /** `ports` in lower case, each after a space and before a comma: for searching. */
  readonly portWords: string;
  /** The first few addresses that are not ready. */
  readonly failing: readonly string[];
  /** All addresses, between spaces: for searching. */
  readonly addresses: string;
  /** `key=value` of each label. */
  readonly labels: readonly string[];
  readonly created: string | undefined;
  /** Since when it is being deleted; undefined: it is not. */
  readonly deleting: string | undefined;
  /** Milliseconds since the epoch; 0: unknown. */
  readonly createdAt: number;
};

const FAILING_SHOWN = 4;

export function toEndpointsRow({metadata, subsets = []}: Endpoints): EndpointsRow {
  const ready = new Set<string>();
  const failing = new Set<string>();
  const ports = new Map<string, number>();
  for (const subset of subsets) {
    for (const {ip} of subset.addresses ?? []) ready.add(ip);
    for (const {ip} of subset.notReadyAddresses ?? []) failing.add(ip);
    for (const {port, name = '', protocol = 'TCP'} of subset.ports ?? [])
      ports.set(`${name === '' ? '' : `${name}:`}${port}${protocol === 'TCP' ? '' : `/${protocol}`}`, port);
  }
  const all = new Set([...ready, ...failing]);
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    ready: ready.size,
    total: all.size,
    ports: [...ports.keys()].join(', '),
    portNumbers: [...ports.values()],
    portWords: [...ports.keys()].map(port => ` ${port.toLowerCase()},`).join(''),
    failing: [...failing].slice(0, FAILING_SHOWN),
    addresses: ` ${[...all].join(' ')} `,
    labels: Object.entries(metadata?.labels ?? {}).map(([key, value]) => `${key}=${value}`),
    created: metadata?.creationTimestamp,
    deleting: metadata?.deletionTimestamp,
    createdAt: parseTime(metadata?.creationTimestamp) ?? 0,
  };
}

/** An address that is ready for one port and not for another counts as both. */
export const isFailing = ({ready, total, failing}: EndpointsRow): boolean => failing.length > 0 || ready < total;
