// SPDX-License-Identifier: Apache-2.0
/**
 * What the spec of a group may hold: members and ports by the rules of Endpoints, so that whatever is composed is valid, and no
 * more than a group may have. Ref: requirements E-060 to E-071, E-080 to E-088.
 */
import {
  childPath,
  duplicate,
  type FieldError,
  indexPath,
  invalid,
  ipKey,
  ipWarnings,
  labelValueFaults,
} from '@palisade/kube-wire';
import type {Prober} from '../checks/prober.ts';
import {checkedPortWarnings, PORTS_MAX, validateCheckedPorts} from '../checks/validate.ts';
import type {EndpointAddress} from '../endpoints/types.ts';
import {validateAddress} from '../endpoints/validate.ts';
import {validateSelector} from '../label-selector.ts';
import {rangeFaults} from '../number-ranges.ts';
import {inlinePairs, memberId, PAIRS_MAX} from './members.ts';
import type {EndpointGroup, EndpointGroupSpec} from './types.ts';

const SPEC = 'spec';
const MEMBERS = childPath(SPEC, 'members');
const PORTS = childPath(SPEC, 'ports');
const NUMBERS = {panicThresholdPercent: [0, 100]} as const;

export const validateGroup = ({spec = {}}: EndpointGroup): FieldError[] => {
  const {members = [], ports = [], selector} = spec;
  const errors = [...validateMembers(members)];
  if (selector !== undefined) errors.push(...validateSelector(selector, childPath(SPEC, 'selector'), false));
  errors.push(...validateCheckedPorts(ports, PORTS));
  const pairs = inlinePairs(spec);
  if (pairs > PAIRS_MAX && ports.length <= PORTS_MAX)
    errors.push(
      invalid(
        MEMBERS,
        members.length,
        `with ${ports.length} ports at most ${pairsText(ports.length)} members are allowed`,
      ),
    );
  return [...errors, ...rangeFaults(spec, NUMBERS, SPEC)];
};

const pairsText = (ports: number): number => Math.floor(PAIRS_MAX / Math.max(ports, 1));

const validateMembers = (members: readonly EndpointAddress[]): FieldError[] => {
  const ips = new Set<string>();
  return members.flatMap((member, index) => {
    const {ip = ''} = member;
    const at = indexPath(MEMBERS, index);
    const errors = validateAddress(member, at, undefined);
    const key = ipKey(ip);
    if (key !== undefined && ips.has(key)) errors.push(duplicate(childPath(at, 'ip'), ip));
    if (key !== undefined) ips.add(key);
    return errors;
  });
};

/** What is allowed, and does nothing, or not what it seems to. */
export const groupWarnings = ({metadata, spec = {}}: EndpointGroup, prober: Refusing): string[] => {
  const {members = [], ports = []} = spec;
  const warnings = members.flatMap(({ip = ''}, index) => ipWarnings(childPath(indexPath(MEMBERS, index), 'ip'), ip));
  if (members.length === 0 && spec.selector === undefined)
    warnings.push('spec: without members and selector the group is empty');
  if (members.length > 0 && ports.length === 0)
    warnings.push('spec.ports: without ports members are in the set without a port, and are not checked');
  if (labelValueFaults(metadata.name ?? '').length > 0)
    warnings.push('metadata.name: is longer than 63 bytes, so the Endpoints have no EndpointSlices');
  return [...warnings, ...checkedPortWarnings(ports, PORTS), ...uselessChecks(spec, prober)];
};

type Refusing = Pick<Prober, 'refusal'>;

/** What the prober does not connect to, or what never changes anything. */
const uselessChecks = (
  {members = [], ports = [], panicThresholdPercent = 0}: EndpointGroupSpec,
  prober: Refusing,
): string[] => {
  const hasChecks = ports.some(({check}) => check !== undefined);
  const warnings: string[] = [];
  if (hasChecks) {
    for (const [index, {ip = ''}] of members.entries()) {
      const what = prober.refusal(memberId(ip));
      if (what !== undefined)
        warnings.push(
          `${childPath(indexPath(MEMBERS, index), 'ip')}: ${ip} is ${what}, which is never checked: it is not ready at ports with a check`,
        );
    }
  }
  if (panicThresholdPercent > 0 && !hasChecks && ports.length > 0)
    warnings.push('spec.panicThresholdPercent: has no effect on ports without a check');
  return warnings;
};
