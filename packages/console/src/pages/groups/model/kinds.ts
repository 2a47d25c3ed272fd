// SPDX-License-Identifier: Apache-2.0
/** EndpointGroup and EndpointRegistration as the server writes them. Ref: docs/reference/endpoint-group-fields.md. */
import type {KubeObject, ResourceType} from '@palisade/client/browser';

export type EndpointCheck = {
  readonly httpGet?: {readonly path?: string; readonly scheme?: string};
  readonly tcpSocket?: object;
  readonly tls?: object;
  readonly grpc?: {readonly service?: string; readonly tls?: boolean};
  readonly webSocket?: {readonly path?: string; readonly scheme?: string};
  readonly port?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
};

export type CheckedPort = {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly check?: EndpointCheck;
};

export type CheckResult = {
  readonly time: string;
  readonly passed?: boolean;
  readonly milliseconds?: number;
  readonly message?: string;
};

export type PortState = 'Ready' | 'NotReady' | 'Starting' | 'Unchecked';

export type PortStatus = {
  readonly name?: string;
  readonly port: number;
  readonly protocol?: string;
  readonly state?: PortState;
  readonly since?: string;
  readonly lastError?: string;
  /** The newest first, at most 20. */
  readonly results?: readonly CheckResult[];
};

export type MemberStatus = {
  readonly ip: string;
  readonly registration?: string;
  readonly draining?: boolean;
  readonly ports?: readonly PortStatus[];
};

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
};

export type LabelSelector = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
};

export type EndpointGroup = KubeObject & {
  readonly spec?: {
    readonly members?: readonly {readonly ip: string; readonly hostname?: string; readonly nodeName?: string}[];
    readonly selector?: LabelSelector;
    readonly ports?: readonly CheckedPort[];
    readonly panicThresholdPercent?: number;
  };
  readonly status?: {
    readonly ready?: number;
    readonly total?: number;
    readonly conditions?: readonly Condition[];
    readonly members?: readonly MemberStatus[];
  };
};

export type EndpointRegistration = KubeObject & {
  readonly spec?: {
    readonly group?: string;
    readonly user?: string;
    readonly addresses?: readonly string[];
    readonly hostname?: string;
    readonly nodeName?: string;
    readonly ports?: readonly CheckedPort[];
    readonly ttlSeconds?: number;
    readonly removeAfterSeconds?: number;
    readonly draining?: boolean;
  };
  readonly status?: {readonly state?: string; readonly since?: string};
};

const platform = {group: 'platform.io', version: 'v1alpha1', namespaced: true};
export const GROUPS: ResourceType = {...platform, plural: 'endpointgroups', kind: 'EndpointGroup'};
export const REGISTRATIONS: ResourceType = {
  ...platform,
  plural: 'endpointregistrations',
  kind: 'EndpointRegistration',
};
