// SPDX-License-Identifier: Apache-2.0
/** The members of a set: its addresses, with what the checks of its group know of them. */
import type {EndpointAddress, EndpointPort, Endpoints, ObjectReference} from '@palisade/client/browser';
import {parseTime} from '../../../../ui/data/time-text.ts';
import type {CheckResult, EndpointGroup, MemberStatus, PortStatus} from '../../../groups/model/kinds.ts';
import {portText} from '../../../groups/model/text.ts';

export type MemberRow = {
  /** Unique: address, port and place. */
  readonly key: string;
  readonly address: string;
  readonly hostname: string;
  readonly node: string;
  /** `Pod shop/web-1`. */
  readonly target: string;
  /** `http:8080, 53/UDP`. */
  readonly ports: string;
  /** `absent`: the group has it, the set does not. */
  readonly state: 'ready' | 'failing' | 'absent';
  /** Of the check, RFC 3339. */
  readonly since: string | undefined;
  readonly sinceAt: number;
  readonly reason: string;
  /** The newest first. */
  readonly results: readonly CheckResult[];
};

export const STATE_WORD: Readonly<Record<MemberRow['state'], string>> = {
  ready: 'Ready',
  failing: 'Not ready',
  absent: 'Not in the set',
};

/** `Pod shop/web-1`; '' for none. */
const targetText = (target: ObjectReference | undefined): string =>
  target === undefined
    ? ''
    : [target.kind, [target.namespace, target.name].filter(Boolean).join('/')].filter(Boolean).join(' ');

const portKey = (ip: string, {name = '', port, protocol = 'TCP'}: Pick<EndpointPort, 'name' | 'port' | 'protocol'>) =>
  `${ip} ${name} ${port} ${protocol}`;

type Checked = {readonly member: MemberStatus; readonly port: PortStatus};

/** One row for each address of each subset; with a group, for each of its ports. */
export function membersOf(object: Endpoints, group?: EndpointGroup): readonly MemberRow[] {
  const checks = new Map<string, Checked>();
  for (const member of group?.status?.members ?? [])
    for (const port of member.ports ?? []) checks.set(portKey(member.ip, port), {member, port});
  const rows: MemberRow[] = [];
  (object.subsets ?? []).forEach(({addresses = [], notReadyAddresses = [], ports = []}, place) => {
    for (const [list, state] of [
      [addresses, 'ready'],
      [notReadyAddresses, 'failing'],
    ] as const)
      for (const address of list) {
        const shown = group === undefined || ports.length === 0 ? [ports] : ports.map(port => [port]);
        for (const some of shown) {
          const [first] = some;
          const key = first === undefined ? '' : portKey(address.ip, first);
          const checked = group === undefined ? undefined : checks.get(key);
          checks.delete(key);
          rows.push(rowOf(address, some, state, place, checked));
        }
      }
  });
  for (const {member, port} of checks.values()) rows.push(rowOf({ip: member.ip}, [port], 'absent', 0, {member, port}));
  return rows;
}

function rowOf(
  {ip, hostname = '', nodeName = '', targetRef}: EndpointAddress,
  ports: readonly Pick<EndpointPort, 'name' | 'port' | 'protocol'>[],
  state: MemberRow['state'],
  place: number,
  checked: Checked | undefined,
): MemberRow {
  const text = ports.map(portText).join(', ');
  return {
    key: `${ip} ${text} ${place} ${state}`,
    address: ip,
    hostname,
    node: nodeName,
    target: targetText(targetRef),
    ports: text,
    state,
    since: checked?.port.since,
    sinceAt: parseTime(checked?.port.since) ?? 0,
    reason: checked === undefined ? '' : reasonOf(state, checked),
    results: checked?.port.results ?? [],
  };
}

/** Why a member is where it is, where that is not plain from its state. */
function reasonOf(state: MemberRow['state'], {member, port}: Checked): string {
  const draining = member.draining === true ? ['draining'] : [];
  const error = port.state === 'NotReady' ? [port.lastError ?? 'the check failed'] : [];
  const waits = port.state === 'Starting' ? ['waits for its first checks'] : [];
  const open = port.state === 'NotReady' && state === 'ready' ? ['served although its check fails'] : [];
  return [...draining, ...open, ...error, ...waits].join('; ');
}

/** Rows that match all words, and are not ready where only those are asked for. */
export function matchingMembers(rows: readonly MemberRow[], q: string, failing: boolean): readonly MemberRow[] {
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '');
  return rows.filter(row => {
    if (failing && row.state === 'ready') return false;
    const all = [row.address, row.hostname, row.node, row.target, row.ports, row.reason, STATE_WORD[row.state]];
    const text = all.join(' ').toLowerCase();
    return words.every(word => text.includes(word));
  });
}
