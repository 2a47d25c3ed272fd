// SPDX-License-Identifier: Apache-2.0
/** core/v1 Node. There is no kubelet, so nothing proxies to one. Ref: kubernetes v1.36 pkg/registry/core/node/strategy.go. */
import {ALL_VERBS, type KindDefinition, type KubeObject, type Strategy} from '@palisade/apiserver';
import {cidrWarnings, indexPath, kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {keepPart} from '../keep-part.ts';
import {applyNodeDefaults, settleStored} from './defaults.ts';
import {nodeTable} from './table.ts';
import {withNotReady} from './taints.ts';
import {asNode, type Node} from './types.ts';
import {validateNode, validateNodeUpdate} from './validate.ts';

/** How kubelets got their configuration once; upstream drops it from every object that has none stored, and so none has. */
const dropConfig = (node: Node): void => {
  if (node.spec?.configSource !== undefined) {
    const {configSource: _, ...spec} = node.spec;
    node.spec = spec;
  }
  if (node.status?.config !== undefined) {
    const {config: _, ...status} = node.status;
    node.status = status;
  }
};

const warningsOf = (draft: KubeObject): string[] => {
  const {externalID = '', podCIDRs = []} = asNode(draft).spec ?? {};
  return [
    ...(externalID === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...podCIDRs.flatMap((cidr, index) => cidrWarnings(indexPath('spec.podCIDRs', index), cidr)),
  ];
};

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  prepareForCreate: draft => {
    const node = asNode(draft);
    node.spec = {...node.spec, taints: withNotReady(node.spec?.taints)};
    dropConfig(node);
  },
  prepareForUpdate: (draft, current) => {
    keepPart('status', draft, current);
    dropConfig(asNode(draft));
  },
  revalidation: 'object-first',
  validateCreate: draft => validateNode(asNode(draft)),
  validateUpdate: draft => validateNode(asNode(draft)),
  validateChange: (draft, current) => validateNodeUpdate(asNode(draft), asNode(current)),
  warningsOnCreate: warningsOf,
  warningsOnUpdate: warningsOf,
  canonicalize: settleStored,
  selectableFields: {'spec.unschedulable': object => String(asNode(object).spec?.unschedulable === true)},
  table: nodeTable,
};

export const nodesKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Node',
  listKind: 'NodeList',
  resource: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  verbs: ALL_VERBS,
  typeName: 'io.k8s.api.core.v1.Node',
  types: kubeTypes,
  registryPath: 'minions',
  internalName: 'core.Node',
  strategy,
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec']],
      prepareForUpdate: (draft, current) => {
        keepPart('spec', draft, current);
        dropConfig(asNode(draft));
      },
      validateUpdate: (draft, current) => validateNodeUpdate(asNode(draft), asNode(current)),
    },
  ],
  applyDefaults: applyNodeDefaults,
};
