// SPDX-License-Identifier: Apache-2.0
/**
 * The kinds that upstream's registry knows, served or not: another one in a body is told otherwise than an unknown one.
 * The OpenAPI document names most of them; these are the others. Ref: kubernetes v1.36 pkg/api/legacyscheme (AllKnownTypes).
 */
import {kubeKinds} from '../gen/kube-openapi.ts';

/** Known in every group and version. */
const OPTIONS = new Set(['CreateOptions', 'GetOptions', 'ListOptions', 'PatchOptions', 'UpdateOptions']);
/** Known even in versions that are not. */
const UNVERSIONED = new Set(['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status']);
/** Groups of other registries. */
const FOREIGN = /^(?:apiextensions|apiregistration)\.k8s\.io\//;

const withLists = (...kinds: readonly string[]): readonly string[] => kinds.flatMap(kind => [kind, `${kind}List`]);
const WORKLOADS = withLists('ControllerRevision', 'Deployment', 'StatefulSet');
const POLICIES = withLists('ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding');
const RBAC = withLists('ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding');
const FLOWS = withLists('FlowSchema', 'PriorityLevelConfiguration');
const REVIEWS = [
  'LocalSubjectAccessReview',
  'SelfSubjectAccessReview',
  'SelfSubjectRulesReview',
  'SubjectAccessReview',
];
const CAPACITIES = withLists('CSIStorageCapacity', 'VolumeAttachment');

type KindTable = Readonly<Record<string, readonly string[]>>;

const UNPUBLISHED: KindTable = {
  v1: [
    ...['List', 'NodeProxyOptions', 'PodAttachOptions', 'PodExecOptions', 'PodLogOptions', 'PodPortForwardOptions'],
    ...['PodProxyOptions', 'PodStatusResult', 'RangeAllocation', 'SerializedReference', 'ServiceProxyOptions'],
  ],
  'admission.k8s.io/v1': ['AdmissionReview'],
  'admission.k8s.io/v1beta1': ['AdmissionReview'],
  'admissionregistration.k8s.io/v1alpha1': POLICIES,
  'admissionregistration.k8s.io/v1beta1': [
    ...POLICIES,
    ...withLists('MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'),
  ],
  'apps/v1beta1': [...WORKLOADS, 'DeploymentRollback', 'Scale'],
  'apps/v1beta2': [...WORKLOADS, ...withLists('DaemonSet', 'ReplicaSet'), 'Scale'],
  'authentication.k8s.io/v1alpha1': ['SelfSubjectReview'],
  'authentication.k8s.io/v1beta1': ['SelfSubjectReview', 'TokenReview'],
  'authorization.k8s.io/v1beta1': REVIEWS,
  'batch/v1beta1': withLists('CronJob'),
  'certificates.k8s.io/v1beta1': withLists('CertificateSigningRequest'),
  'coordination.k8s.io/v1beta1': withLists('Lease'),
  'discovery.k8s.io/v1beta1': withLists('EndpointSlice'),
  'events.k8s.io/v1beta1': withLists('Event'),
  'extensions/v1beta1': [
    ...withLists('DaemonSet', 'Deployment', 'Ingress', 'NetworkPolicy', 'ReplicaSet'),
    ...['DeploymentRollback', 'Scale'],
  ],
  'flowcontrol.apiserver.k8s.io/v1beta1': FLOWS,
  'flowcontrol.apiserver.k8s.io/v1beta2': FLOWS,
  'flowcontrol.apiserver.k8s.io/v1beta3': FLOWS,
  'imagepolicy.k8s.io/v1alpha1': ['ImageReview'],
  'networking.k8s.io/v1beta1': withLists('Ingress', 'IngressClass'),
  'node.k8s.io/v1alpha1': withLists('RuntimeClass'),
  'node.k8s.io/v1beta1': withLists('RuntimeClass'),
  'policy/v1beta1': ['Eviction', ...withLists('PodDisruptionBudget')],
  'rbac.authorization.k8s.io/v1alpha1': RBAC,
  'rbac.authorization.k8s.io/v1beta1': RBAC,
  'scheduling.k8s.io/v1beta1': withLists('PriorityClass'),
  'storage.k8s.io/v1alpha1': [...CAPACITIES, ...withLists('VolumeAttributesClass')],
  'storage.k8s.io/v1beta1': [...CAPACITIES, ...withLists('CSIDriver', 'CSINode', 'StorageClass')],
};

/** A client may send any word, `constructor` too. */
const kindsIn = (table: KindTable, apiVersion: string): readonly string[] | undefined =>
  Object.hasOwn(table, apiVersion) ? table[apiVersion] : undefined;

/** The version that the registry keeps for itself; the types in it are the ones that it works with. */
export const INTERNAL_VERSION = '__internal';
const NOT_INTERNAL: ReadonlySet<string> = new Set([...OPTIONS, 'DeleteOptions']);

/** The kinds of every version of the group count as internal ones. */
const isInternalKind = (apiVersion: string, kind: string): boolean => {
  const group = apiVersion.slice(0, -INTERNAL_VERSION.length);
  const isOfGroup = (known: string): boolean => known.startsWith(group) && (group !== '' || !known.includes('/'));
  const known = [kubeKinds, UNPUBLISHED].flatMap(table => Object.keys(table).filter(isOfGroup));
  return !NOT_INTERNAL.has(kind) && known.some(each => isKnownKind(each, kind));
};

/** How messages name the Go type of a known kind. */
export function goTypeOf(apiVersion: string, kind: string): string {
  if (UNVERSIONED.has(kind)) return `v1.${kind}`;
  const [group = '', version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  if (version !== INTERNAL_VERSION) return `${version}.${kind}`;
  return kind === 'WatchEvent' ? 'v1.InternalEvent' : `${group.split('.')[0]}.${kind}`;
}

/** Whether the type of a known kind is one of those that are never sent. */
export const isInternalType = ({version, kind}: {readonly version: string; readonly kind: string}): boolean =>
  version === INTERNAL_VERSION && !UNVERSIONED.has(kind);

/** `apiVersion` is `v1`, `apps/v1`. */
export function isKnownKind(apiVersion: string, kind: string): boolean {
  if (UNVERSIONED.has(kind)) return true;
  if (FOREIGN.test(apiVersion)) return false;
  if (apiVersion === INTERNAL_VERSION || apiVersion.endsWith(`/${INTERNAL_VERSION}`))
    return isInternalKind(apiVersion, kind);
  const tables = [kindsIn(kubeKinds, apiVersion), kindsIn(UNPUBLISHED, apiVersion)];
  return tables.some(kinds => kinds !== undefined && (OPTIONS.has(kind) || kinds.includes(kind)));
}
