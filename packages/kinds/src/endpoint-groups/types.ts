// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';
import type {PortState} from '../checks/state.ts';
import type {CheckedPort} from '../checks/types.ts';
import type {EndpointAddress} from '../endpoints/types.ts';
import type {LabelSelectorObject} from '../label-selector.ts';

/** As decoded: what is absent is undefined. */
export type EndpointGroupSpec = {
  readonly members?: readonly EndpointAddress[];
  readonly selector?: LabelSelectorObject;
  readonly ports?: readonly CheckedPort[];
  readonly panicThresholdPercent?: number;
};
export type CheckResultStatus = {
  readonly time?: string;
  readonly passed?: boolean;
  readonly milliseconds?: number;
  readonly message?: string;
};
export type PortStatus = {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly state?: PortState;
  readonly since?: string;
  readonly lastError?: string;
  readonly results?: readonly CheckResultStatus[];
};
export type MemberStatus = {
  readonly ip?: string;
  readonly registration?: string;
  readonly draining?: boolean;
  readonly ports?: readonly PortStatus[];
};
export type EndpointGroupStatus = {
  readonly observedGeneration?: number;
  readonly ready?: number;
  readonly total?: number;
  readonly conditions?: readonly {
    readonly type?: string;
    readonly status?: string;
    readonly observedGeneration?: number;
    readonly lastTransitionTime?: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
  readonly members?: readonly MemberStatus[];
};
export type EndpointGroup = KubeObject & {spec?: EndpointGroupSpec; status?: EndpointGroupStatus};
