// SPDX-License-Identifier: Apache-2.0
/** The EndpointGroup that composes a set, as far as its members are shown. Ref: docs/reference/endpoint-group-fields.md. */
import type {Endpoints, KubeObject, OwnerReference, ResourceType} from '@palisade/client/browser';

export const ENDPOINT_GROUPS: ResourceType = {
  group: 'platform.io',
  version: 'v1alpha1',
  plural: 'endpointgroups',
  kind: 'EndpointGroup',
  namespaced: true,
};

export type CheckResult = {
  readonly time: string;
  readonly passed: boolean;
  readonly milliseconds?: number;
  readonly message?: string;
};
export type MemberPort = {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly state: 'Ready' | 'NotReady' | 'Starting' | 'Unchecked';
  readonly since?: string;
  readonly lastError?: string;
  /** The newest first. */
  readonly results?: readonly CheckResult[];
};
export type GroupMember = {
  readonly ip: string;
  readonly registration?: string;
  readonly draining?: boolean;
  readonly ports?: readonly MemberPort[];
};
export type EndpointGroup = KubeObject & {
  readonly spec?: {readonly ports?: readonly {readonly check?: {readonly periodSeconds?: number}}[]};
  readonly status?: {readonly members?: readonly GroupMember[]};
};

/** The reference to the group that composes this set. */
export const groupOf = ({metadata}: Endpoints): OwnerReference | undefined =>
  metadata?.ownerReferences?.find(
    ({apiVersion, kind, controller}) =>
      controller === true && kind === 'EndpointGroup' && apiVersion.startsWith('platform.io/'),
  );

const POLL_MIN_MS = 2_000;
const POLL_MAX_MS = 15_000;
const DEFAULT_PERIOD_S = 10;

/** How often the checks have new results, in milliseconds: changes of states come as changes of the set, results do not. */
export function pollMsOf(group: EndpointGroup | undefined): number {
  const periods = (group?.spec?.ports ?? []).map(({check}) => check?.periodSeconds ?? DEFAULT_PERIOD_S);
  return Math.min(POLL_MAX_MS, Math.max(POLL_MIN_MS, Math.min(...periods, POLL_MAX_MS / 1000) * 1000));
}
