// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** As decoded: what is absent is undefined. */
export type LeaseSpec = {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly strategy?: string;
  readonly preferredHolder?: string;
};
export type Lease = KubeObject & {spec?: LeaseSpec};
