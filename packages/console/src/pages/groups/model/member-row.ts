// SPDX-License-Identifier: Apache-2.0
/** A member of a group at one of its ports. */
import type {Square} from '../../../ui/data/squares.tsx';
import {parseTime} from '../../../ui/data/time-text.ts';
import {squaresOf} from './checks.ts';
import type {CheckedPort, CheckResult, EndpointGroup, EndpointRegistration, PortState, PortStatus} from './kinds.ts';
import {periodOf, portText} from './text.ts';

export type MemberRow = {
  /** `10.0.0.1 http:8080`. */
  readonly key: string;
  readonly ip: string;
  /** Host name or node of a member of the spec. */
  readonly host: string;
  readonly registration: string | undefined;
  readonly draining: boolean;
  readonly port: string;
  readonly state: PortState | '';
  readonly since: string | undefined;
  readonly sinceAt: number;
  readonly lastError: string;
  /** Oldest first. */
  readonly squares: readonly Square[];
  /** Newest first. */
  readonly results: readonly CheckResult[];
  /** About when the next check ends, milliseconds since the epoch; undefined: there is no check, or it is not known. */
  readonly next: number | undefined;
  readonly spec: CheckedPort | undefined;
};

const SECOND_MS = 1_000;

/** A registration may give another number to a port of the group of the same name. */
function specOf(
  port: PortStatus,
  group: readonly CheckedPort[],
  own: readonly CheckedPort[] = [],
): CheckedPort | undefined {
  const isIt = (one: CheckedPort): boolean => (one.name ?? '') === (port.name ?? '');
  const ofGroup = group.find(isIt);
  const ofOwn = own.find(isIt);
  return ofOwn?.check === undefined ? (ofGroup ?? ofOwn) : ofOwn;
}

export function memberRows(group: EndpointGroup, registrations: readonly EndpointRegistration[]): readonly MemberRow[] {
  const hosts = new Map((group.spec?.members ?? []).map(one => [one.ip, one.hostname ?? one.nodeName ?? '']));
  const offered = new Map(registrations.map(({metadata, spec}) => [metadata?.name ?? '', spec?.ports]));
  return (group.status?.members ?? []).flatMap(({ip, registration, draining, ports = []}) =>
    ports.map((port): MemberRow => {
      const spec = specOf(port, group.spec?.ports ?? [], offered.get(registration ?? ''));
      const period = spec === undefined ? undefined : periodOf(spec);
      const results = port.results ?? [];
      const last = parseTime(results[0]?.time);
      return {
        key: `${ip} ${portText(port)}`,
        ip,
        host: hosts.get(ip) ?? '',
        registration,
        draining: draining === true,
        port: portText(port),
        state: port.state ?? '',
        since: port.since,
        sinceAt: parseTime(port.since) ?? 0,
        lastError: port.lastError ?? '',
        squares: squaresOf(results),
        results,
        next: last === undefined || period === undefined ? undefined : last + period * SECOND_MS,
        spec,
      };
    }),
  );
}

export const isFailingMember = ({state}: MemberRow): boolean => state === 'NotReady' || state === 'Starting';

export const matchingMembers = (rows: readonly MemberRow[], q: string, failing: boolean): readonly MemberRow[] => {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(row => {
    const text = `${row.key} ${row.host} ${row.registration ?? ''} ${row.state} ${row.lastError}`.toLowerCase();
    return (!failing || isFailingMember(row)) && words.every(word => text.includes(word));
  });
};
