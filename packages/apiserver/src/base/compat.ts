// SPDX-License-Identifier: Apache-2.0
/**
 * The one place that reads `--compat`: each row is one deliberate difference from kube-apiserver (design.md section 4),
 * each column one mode. Nothing else in the product may depend on the mode.
 */
export type CompatMode = 'spec' | 'kubernetes';

export type Compat = {
  readonly mode: CompatMode;
  /** E-231: an explicit gracePeriodSeconds above 0 is honoured for every kind. */
  readonly honourGracePeriod: boolean;
  /** E-195: blockOwnerDeletion without the right to delete the owner is 422, and only the owner that such a reference names waits. */
  readonly checkBlockOwnerDeletion: boolean;
  /** E-135: metadata.generation of a new object is the server's, for every kind. E-136: Endpoints count it. */
  readonly countGeneration: boolean;
  /** E-114: metadata.clusterName is accepted and dropped without a word. */
  readonly ignoreClusterName: boolean;
  /** E-259: the deprecation warning of v1 Endpoints. */
  readonly warnEndpointsDeprecated: boolean;
  /** E-096 to E-100, E-114, E-136, E-259: OpenAPI describes the types in the words of our own specification. */
  readonly publishPlatformWords: boolean;
  /** E-082, E-095, E-101: warnings about port names and appProtocol. */
  readonly warnNaming: boolean;
  /** E-216: an apply that only adds co-ownership dates its entry; times alone are no change, however they sort the entries. */
  readonly timeOnCoOwnership: boolean;
  /** E-048: a list sent with what is not stored (an empty list in an item, an owner twice) is equal to the stored one; upstream's has a new owner. */
  readonly keepOwnersOfEqualContent: boolean;
  /** E-257: `core/v1` counts as `v1` in ownerReferences and managedFields; upstream's group `core` is one that nobody serves. */
  readonly takesCoreGroup: boolean;
  /** E-045: an address both ready and not ready in one subset is refused. */
  readonly refuseReadyAndNotReady: boolean;
  /** E-211, E-220: managedFields that a client sends and that make no sense are 422; upstream goes on with the stored ones. */
  readonly refuseMalformedManagedFields: boolean;
  /** E-123, E-236: another deletionTimestamp than the one that is set is 422; upstream goes on with the stored one. */
  readonly refuseChangedDeletionTime: boolean;
  /** E-162: not even a dry run gives back the selfLink that was sent. */
  readonly dropSelfLinkOfDryRuns: boolean;
  /** E-271: the pages of a list over all namespaces that selects one follow each other; upstream's token for the next page leads elsewhere. */
  readonly keepSelectedNamespaceOverPages: boolean;
  /** E-151: a namespace that is being deleted keeps its objects for so long; above 0 it is looked at by time only. Ref: kubernetes v1.36 pkg/controller/namespace namespaceDeletionGracePeriod. */
  readonly namespaceGraceMs: number;
  /** E-151: a namespace without `spec.finalizers` goes with its first delete; upstream's is marked, left alone, and goes with the next write. */
  readonly removeFinalizedAtOnce: boolean;
  /** 45-1: the Endpoints of a deleted Service's name go with it; here whoever registered them keeps them. Ref: kubernetes v1.36 pkg/registry/core/service/storage afterDelete. */
  readonly deleteEndpointsWithService: boolean;
  /** E-254, E-259: all addresses of all Endpoints have EndpointSlices, with names that consumers act on; upstream needs a Service without a selector, and stops at 1,000. */
  readonly mirrorInFull: boolean;
  /** 47-2: a bearer token counts instead of the client certificate of its connection: `kubectl --token` sends both. */
  readonly tokensBeforeCertificates: boolean;
  /** 47-4: an access review without a group takes that of a resource `RESOURCE.GROUP`, as kubectl sends it for groups outside discovery. */
  readonly findGroupInResource: boolean;
  /** E-271: under which names the server's own writes stand in managedFields. */
  readonly managers: {
    readonly server: string;
    readonly namespaces: string;
    readonly garbage: string;
    readonly mirroring: string;
  };
};

const TABLE = {
  spec: {
    mode: 'spec',
    honourGracePeriod: true,
    checkBlockOwnerDeletion: true,
    countGeneration: true,
    ignoreClusterName: true,
    warnEndpointsDeprecated: false,
    publishPlatformWords: true,
    warnNaming: true,
    timeOnCoOwnership: true,
    keepOwnersOfEqualContent: true,
    takesCoreGroup: true,
    refuseReadyAndNotReady: true,
    refuseMalformedManagedFields: true,
    refuseChangedDeletionTime: true,
    dropSelfLinkOfDryRuns: true,
    keepSelectedNamespaceOverPages: true,
    namespaceGraceMs: 0,
    removeFinalizedAtOnce: true,
    deleteEndpointsWithService: false,
    mirrorInFull: true,
    tokensBeforeCertificates: true,
    findGroupInResource: true,
    managers: {
      server: 'palisade',
      namespaces: 'palisade-namespace-controller',
      garbage: 'palisade-garbage-collector',
      mirroring: 'palisade-mirroring-controller',
    },
  },
  kubernetes: {
    mode: 'kubernetes',
    honourGracePeriod: false,
    checkBlockOwnerDeletion: false,
    countGeneration: false,
    ignoreClusterName: false,
    warnEndpointsDeprecated: true,
    publishPlatformWords: false,
    warnNaming: false,
    timeOnCoOwnership: false,
    keepOwnersOfEqualContent: false,
    takesCoreGroup: false,
    refuseReadyAndNotReady: false,
    refuseMalformedManagedFields: false,
    refuseChangedDeletionTime: false,
    dropSelfLinkOfDryRuns: false,
    keepSelectedNamespaceOverPages: false,
    namespaceGraceMs: 5_000,
    removeFinalizedAtOnce: false,
    deleteEndpointsWithService: true,
    mirrorInFull: false,
    tokensBeforeCertificates: false,
    findGroupInResource: false,
    managers: {
      server: 'kube-apiserver',
      namespaces: 'kube-controller-manager',
      garbage: 'kube-controller-manager',
      mirroring: 'kube-controller-manager',
    },
  },
} as const satisfies Record<CompatMode, Compat>;

export const compatOf = (mode: CompatMode): Compat => TABLE[mode];
