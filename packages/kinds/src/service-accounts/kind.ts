// SPDX-License-Identifier: Apache-2.0
/** core/v1 ServiceAccount. Ref: kubernetes v1.36 pkg/registry/core/serviceaccount/{strategy,storage/storage}.go. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';

type ServiceAccount = KubeObject & {secrets?: {name?: string}[]};

const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';
const ENFORCE_WARNING = `metadata.annotations[${ENFORCE_MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`;

/** Of a reference to a secret the name counts, nothing else. */
const keepNamesOnly = (draft: KubeObject): void => {
  const account = draft as ServiceAccount;
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({name}) => (name === undefined ? {} : {name}));
};

const enforces = ({metadata}: KubeObject): boolean => metadata.annotations?.[ENFORCE_MOUNTABLE] !== undefined;

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  prepareForCreate: keepNamesOnly,
  prepareForUpdate: keepNamesOnly,
  revalidation: 'changes-first',
  warningsOnCreate: draft => (enforces(draft) ? [ENFORCE_WARNING] : []),
  warningsOnUpdate: (draft, current) => (enforces(draft) && !enforces(current) ? [ENFORCE_WARNING] : []),
  deletion: {hasGracePeriod: true, inPhases: false, answersDeleted: true, readyToRemove: () => true},
  table: {
    columns: tableNameColumns([]),
    cells: (object, nowMs) => [object.metadata.name ?? '', tableAge(object, nowMs)],
  },
};

export const serviceAccountsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  listKind: 'ServiceAccountList',
  resource: 'serviceaccounts',
  singular: 'serviceaccount',
  shortNames: ['sa'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.ServiceAccount',
  publishesDeleted: true,
  types: kubeTypes,
  registryPath: 'serviceaccounts',
  internalName: 'core.ServiceAccount',
  strategy,
};
