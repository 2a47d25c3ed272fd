// SPDX-License-Identifier: Apache-2.0
/** A group and a registration as their lists show them. */
import {parseTime} from '../../../ui/data/time-text.ts';
import type {Condition, EndpointGroup, EndpointRegistration, PortStatus} from './kinds.ts';
import {portText, selectorText} from './text.ts';

/** What a condition says that people should act on. */
export type Problem = {
  /** False: the Endpoints are not as the group wants them. */
  readonly passing: boolean;
  readonly reason: string;
  readonly message: string;
};

export type GroupRow = {
  readonly namespace: string;
  readonly name: string;
  readonly ready: number;
  readonly total: number;
  /** Members that fail at a port. */
  readonly failingCount: number;
  /** The first few of them, with their last errors; '' if none fails. */
  readonly failing: string;
  readonly ports: string;
  /** Members of registrations. */
  readonly registered: number;
  /** Addresses between spaces: for searching. */
  readonly addresses: string;
  readonly problems: readonly Problem[];
  readonly deleting: string | undefined;
  readonly created: string | undefined;
  readonly createdAt: number;
};

const FAILING_SHOWN = 3;
/** The Endpoints are up to date, but not all that was wanted is in them. */
const LEFT_OUT = 'TooManyPairs';

export function problemsOf(conditions: readonly Condition[] = []): readonly Problem[] {
  return conditions.flatMap(({type, status, reason = '', message = ''}): readonly Problem[] => {
    if (type === 'Composed' && status !== 'True') return [{passing: false, reason, message}];
    if (type === 'Composed' && reason === LEFT_OUT) return [{passing: true, reason, message}];
    if (type === 'Panic' && status === 'True') return [{passing: true, reason: 'Panic', message}];
    return [];
  });
}

type Failing = {readonly ip: string; readonly port: PortStatus};

/** `10.0.0.3 http:8080, 10.0.0.4 http:8080: refused`; where the errors differ, each has its own: `10.0.0.3 http:8080: refused; 10.0.0.4 http:8080: timeout`. */
function failingText(failing: readonly Failing[]): string {
  const errorOf = ({port}: Failing): string => (port.lastError ? `: ${port.lastError}` : '');
  const isShared = new Set(failing.map(errorOf)).size < 2;
  const shown = failing
    .slice(0, FAILING_SHOWN)
    .map(one => `${one.ip} ${portText(one.port)}${isShared ? '' : errorOf(one)}`);
  const more = failing.length > FAILING_SHOWN ? ` and ${failing.length - FAILING_SHOWN} more` : '';
  const [first] = failing;
  return `${shown.join(isShared ? ', ' : '; ')}${more}${isShared && first !== undefined ? errorOf(first) : ''}`;
}

export function toGroupRow({metadata, spec = {}, status = {}}: EndpointGroup): GroupRow {
  const members = status.members ?? [];
  const failing = members.flatMap(({ip, ports = []}) =>
    ports.filter(({state}) => state === 'NotReady').map(port => ({ip, port})),
  );
  const addresses = new Set([...(spec.members ?? []), ...members].map(({ip}) => ip));
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    ready: status.ready ?? 0,
    total: status.total ?? 0,
    failingCount: failing.length,
    failing: failingText(failing),
    ports: (spec.ports ?? []).map(portText).join(', '),
    registered: new Set(members.flatMap(({registration}) => registration ?? [])).size,
    addresses: ` ${[...addresses].join(' ')} `,
    problems: problemsOf(status.conditions),
    deleting: metadata?.deletionTimestamp,
    created: metadata?.creationTimestamp,
    createdAt: parseTime(metadata?.creationTimestamp) ?? 0,
  };
}

export const isFailingGroup = ({ready, total, failingCount, problems}: GroupRow): boolean =>
  failingCount > 0 || ready < total || problems.length > 0;

export type RegistrationRow = {
  readonly namespace: string;
  readonly name: string;
  readonly group: string;
  readonly user: string;
  readonly addresses: readonly string[];
  readonly state: string;
  readonly since: string | undefined;
  readonly draining: boolean;
  readonly ports: string;
  readonly ttlSeconds: number;
  readonly deleting: string | undefined;
};

const TTL_SECONDS = 30;

export const toRegistrationRow = ({metadata, spec = {}, status = {}}: EndpointRegistration): RegistrationRow => ({
  namespace: metadata?.namespace ?? '',
  name: metadata?.name ?? '',
  group: spec.group ?? '',
  user: spec.user ?? '',
  addresses: spec.addresses ?? [],
  state: status.state ?? '',
  since: status.since,
  draining: spec.draining === true,
  ports: (spec.ports ?? []).map(portText).join(', '),
  ttlSeconds: spec.ttlSeconds ?? TTL_SECONDS,
  deleting: metadata?.deletionTimestamp,
});

export const isFailingRegistration = ({state}: RegistrationRow): boolean => state === 'Expired';

export const groupSelector = ({spec}: EndpointGroup): string | undefined =>
  spec?.selector === undefined ? undefined : selectorText(spec.selector);
