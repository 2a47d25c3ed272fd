// SPDX-License-Identifier: Apache-2.0
/** core/v1 Namespace. Ref: kubernetes v1.36 pkg/registry/core/namespace/{strategy,storage/storage}.go, pkg/apis/core/v1/defaults.go. */
import {
  forbidden,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
  validateFinalizerName,
} from '@palisade/apiserver';
import {
  childPath,
  type FieldError,
  indexPath,
  invalid,
  kubeTypes,
  namedText,
  nameIsDnsLabel,
} from '@palisade/kube-wire';

import {keepPart} from '../keep-part.ts';
import {podSecurityFaults} from './pod-security.ts';
import {KUBERNETES_FINALIZER, NAME_LABEL, type Namespace, PROTECTED_NAMESPACES} from './types.ts';

const RESOURCE = {group: '', resource: 'namespaces'};
const asNamespace = (object: KubeObject): Namespace => object as Namespace;

const phaseOf = (object: KubeObject): string => asNamespace(object).status?.phase ?? '';

const forceNameLabel = (draft: KubeObject): void => {
  const {name = ''} = draft.metadata;
  if (name !== '') draft.metadata.labels = {...draft.metadata.labels, [NAME_LABEL]: name};
};

const FINALIZERS = childPath('spec', 'finalizers');

/** The reference names the position of a finalizer only where it finalizes. */
const validateSpec = (draft: Namespace, pathOf: (index: number) => string = () => FINALIZERS): FieldError[] =>
  (draft.spec?.finalizers ?? []).flatMap((finalizer, index) => validateFinalizerName(finalizer, pathOf(index)));

const strategy: Strategy = {
  validateName: nameIsDnsLabel,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  prepareForCreate: draft => {
    const namespace = asNamespace(draft);
    namespace.status = {phase: 'Active'};
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = {
      ...namespace.spec,
      finalizers: finalizers.includes(KUBERNETES_FINALIZER) ? finalizers : [...finalizers, KUBERNETES_FINALIZER],
    };
  },
  prepareForUpdate: (draft, current) => {
    keepPart('spec', draft, current);
    keepPart('status', draft, current);
  },
  // A name that is made from `generateName` came after the defaults; what it makes of the label is not checked.
  canonicalize: forceNameLabel,
  revalidation: 'object-first',
  validateCreate: draft => validateSpec(asNamespace(draft)),
  validateUpdate: draft => validateSpec(asNamespace(draft)),
  admit: (draft, current) => podSecurityFaults(draft.metadata.labels, current?.metadata.labels),
  deletion: {
    hasGracePeriod: false,
    inPhases: true,
    answersDeleted: true,
    admit: name => {
      if ((PROTECTED_NAMESPACES as readonly string[]).includes(name)) {
        throw forbidden(RESOURCE, name, 'this namespace may not be deleted');
      }
    },
    readyToRemove: object => (asNamespace(object).spec?.finalizers ?? []).length === 0,
    mark: draft => {
      const namespace = asNamespace(draft);
      namespace.status = {...namespace.status, phase: 'Terminating'};
    },
  },
  selectableFields: {'status.phase': phaseOf},
  table: {
    columns: tableNameColumns([
      {name: 'Status', type: 'string', format: '', description: 'The status of the namespace', priority: 0},
    ]),
    cells: (object, nowMs) => [object.metadata.name ?? '', phaseOf(object), tableAge(object, nowMs)],
  },
};

const validateStatus = (draft: KubeObject): FieldError[] => {
  const phase = phaseOf(draft);
  const path = 'status.Phase';
  if (draft.metadata.deletionTimestamp == null) {
    return phase === 'Active'
      ? []
      : [invalid(path, namedText(phase), "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return phase === 'Terminating'
    ? []
    : [invalid(path, namedText(phase), "may only be 'Terminating' if `deletionTimestamp` is not empty")];
};

export const namespacesKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  listKind: 'NamespaceList',
  resource: 'namespaces',
  singular: 'namespace',
  shortNames: ['ns'],
  namespaced: false,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  typeName: 'io.k8s.api.core.v1.Namespace',
  types: kubeTypes,
  registryPath: 'namespaces',
  internalName: 'core.Namespace',
  strategy,
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec']],
      prepareForUpdate: (draft, current) => keepPart('spec', draft, current),
      validateUpdate: validateStatus,
    },
    {
      name: 'finalize',
      verbs: ['update'],
      hasTable: false,
      resetFields: [['status']],
      prepareForUpdate: (draft, current) => keepPart('status', draft, current),
      validateUpdate: draft => validateSpec(asNamespace(draft), index => indexPath(FINALIZERS, index)),
    },
  ],
  applyDefaults: draft => {
    forceNameLabel(draft);
    const namespace = asNamespace(draft);
    if ((namespace.status?.phase ?? '') === '') namespace.status = {...namespace.status, phase: 'Active'};
  },
};
