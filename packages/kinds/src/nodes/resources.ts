// SPDX-License-Identifier: Apache-2.0
/**
 * Ref: kubernetes v1.36 pkg/apis/core/validation ValidateNodeResources, ValidateResourceQuantityValue; pkg/apis/core/helper
 * IsIntegerResourceName, IsExtendedResourceName.
 */
import {childPath, type FieldError, invalid, namedText, parseQuantity, qualifiedNameFaults} from '@palisade/kube-wire';
import type {NodeStatus, ResourceList} from './types.ts';

const COUNTED: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const REQUESTS = 'requests.';
const NATIVE = 'kubernetes.io/';
const MILLI_SCALE = 3;

export const validateResources = ({capacity, allocatable}: NodeStatus): FieldError[] => [
  ...validateList(capacity, 'status.capacity'),
  ...validateList(allocatable, 'status.allocatable'),
];

const validateList = (resources: ResourceList | undefined, path: string): FieldError[] =>
  Object.entries(resources ?? {}).flatMap(([name, amount]) => validateAmount(name, amount, childPath(path, name)));

const validateAmount = (name: string, amount: string, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  if (parseQuantity(amount).unscaled < 0n) errors.push(invalid(path, amount, 'must be greater than or equal to 0'));
  if (isCounted(name) && !isWhole(amount)) errors.push(invalid(path, namedText(amount), 'must be an integer'));
  return errors;
};

const isCounted = (name: string): boolean => COUNTED.has(name) || isExtended(name);

/** A resource of somebody else's domain. */
const isExtended = (name: string): boolean =>
  name.includes('/') &&
  !name.includes(NATIVE) &&
  !name.startsWith(REQUESTS) &&
  qualifiedNameFaults(`${REQUESTS}${name}`).length === 0;

/**
 * Upstream looks at the 64 bits that hold its thousandths: of its quick form they are zero when there are more, of its long form
 * the lowest ones.
 */
const isWhole = (amount: string): boolean => {
  const {unscaled, scale, isQuick} = parseQuantity(amount);
  const millis = unscaled * 10n ** BigInt(Math.min(scale + MILLI_SCALE, 64));
  const held = BigInt.asIntN(64, millis);
  return (isQuick && held !== millis) || held % 1_000n === 0n;
};
