// SPDX-License-Identifier: Apache-2.0
/** What an operator decides about the kinds. */
export type KindSettings = {
  /** CIDRs: the primary range, and for two families a second one. */
  readonly serviceIpRanges: readonly string[];
  /** Both ends belong to it. */
  readonly nodePorts: {readonly first: number; readonly last: number};
  readonly eventTtlMs: number;
  /** Which Endpoints are mirrored to EndpointSlices. Undefined: all, with `--compat kubernetes` those of a Service. */
  readonly mirror: 'always' | 'services' | undefined;
};

export const DEFAULT_KIND_SETTINGS: KindSettings = {
  serviceIpRanges: ['10.96.0.0/16'],
  nodePorts: {first: 30_000, last: 32_767},
  eventTtlMs: 3_600_000,
  mirror: undefined,
};
