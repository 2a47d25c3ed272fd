// SPDX-License-Identifier: Apache-2.0
/**
 * Priority levels and flow schemas: which requests share seats, and which of them are one flow. Names and shares are upstream's; they
 * are data here and no objects that can be changed (ADR 0017).
 *
 * Ref: kubernetes v1.36 apiserver/pkg/apis/flowcontrol/bootstrap/default.go.
 */
import {MASTERS_GROUP, type UserInfo} from '../identity/authenticator.ts';

/** The facts of a request that choose its priority level and flow. */
export type Asked = {
  readonly user: UserInfo;
  readonly path: string;
  /** As in RequestInfo. */
  readonly verb: string;
  /** See KindDefinition.heartbeats; false for what is no resource of the Kubernetes API. */
  readonly heartbeats: boolean;
  /** Address of the client. */
  readonly from: string | undefined;
};

type LevelSpec = {
  readonly name: string;
  /** Its part of the server's seats; undefined: requests neither wait nor are bounded. */
  readonly shares: number | undefined;
};

export const LEVELS = [
  {name: 'exempt', shares: undefined},
  {name: 'leader-election', shares: 10},
  {name: 'system', shares: 30},
  {name: 'workload-high', shares: 40},
  {name: 'workload-low', shares: 100},
  {name: 'global-default', shares: 20},
  {name: 'catch-all', shares: 5},
] as const satisfies readonly LevelSpec[];

export type LevelName = (typeof LEVELS)[number]['name'];

export type FlowSchema = {
  readonly name: string;
  readonly level: LevelName;
  readonly matches: (asked: Asked) => boolean;
};

const AUTHENTICATED = 'system:authenticated';
const KUBE_SYSTEM_ACCOUNTS = 'system:serviceaccounts:kube-system';
const HEALTH = /^\/(healthz|livez|readyz)(\/|$)/;
const HEARTBEAT_VERBS: readonly string[] = ['get', 'create', 'update', 'patch'];

const isIn =
  (group: string) =>
  ({user}: Asked): boolean =>
    user.groups.includes(group);
const isNamed =
  (name: string) =>
  ({user}: Asked): boolean =>
    user.name === name;

/** Not a list or watch. */
const isHeartbeat = ({heartbeats, verb}: Asked): boolean => heartbeats && HEARTBEAT_VERBS.includes(verb);

/** The first that matches counts; the last matches all. */
export const FLOW_SCHEMAS: readonly FlowSchema[] = [
  {name: 'exempt', level: 'exempt', matches: isIn(MASTERS_GROUP)},
  {name: 'probes', level: 'exempt', matches: ({path}) => HEALTH.test(path)},
  {name: 'heartbeats', level: 'leader-election', matches: asked => isHeartbeat(asked) && isIn(AUTHENTICATED)(asked)},
  {name: 'system-nodes', level: 'system', matches: isIn('system:nodes')},
  {name: 'kube-controller-manager', level: 'workload-high', matches: isNamed('system:kube-controller-manager')},
  {name: 'kube-scheduler', level: 'workload-high', matches: isNamed('system:kube-scheduler')},
  {name: 'kube-system-service-accounts', level: 'workload-high', matches: isIn(KUBE_SYSTEM_ACCOUNTS)},
  {name: 'service-accounts', level: 'workload-low', matches: isIn('system:serviceaccounts')},
  {name: 'global-default', level: 'global-default', matches: isIn(AUTHENTICATED)},
  {name: 'catch-all', level: 'catch-all', matches: () => true},
];

/** Clients without a credential share one name, so their addresses distinguish them. */
export const flowOf = ({user, from}: Asked): string =>
  user.name === 'system:anonymous' ? `${user.name} ${from ?? ''}` : user.name;
