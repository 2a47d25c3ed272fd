// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go AddHandlers, printNode, findNodeRoles. */
import {type TableColumn, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {compareUtf8, kubeTypes} from '@palisade/kube-wire';
import {textColumn as column} from '../doc-column.ts';
import {asNode, type Node} from './types.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

const docOf = (type: string, field: string): string =>
  kubeTypes[`io.k8s.api.core.v1.${type}`]?.fields.find(({name}) => name === field)?.doc ?? '';

const wide = (name: string, type: string, field: string): TableColumn => column(name, docOf(type, field), 1);

export const nodeTable: TableConvertor = {
  columns: [
    ...tableNameColumns([column('Status', 'The status of the node'), column('Roles', 'The roles of the node')]),
    column('Version', docOf('NodeSystemInfo', 'kubeletVersion')),
    wide('Internal-IP', 'NodeStatus', 'addresses'),
    wide('External-IP', 'NodeStatus', 'addresses'),
    wide('OS-Image', 'NodeSystemInfo', 'osImage'),
    wide('Kernel-Version', 'NodeSystemInfo', 'kernelVersion'),
    wide('Container-Runtime', 'NodeSystemInfo', 'containerRuntimeVersion'),
  ],
  cells: (object, nowMs) => {
    const node = asNode(object);
    const {osImage, kernelVersion, containerRuntimeVersion, kubeletVersion, architecture} = node.status?.nodeInfo ?? {};
    const kernel = kernelVersion || '<unknown>';
    return [
      node.metadata.name ?? '',
      statusOf(node),
      rolesOf(node).join(',') || '<none>',
      tableAge(node, nowMs),
      kubeletVersion ?? '',
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      osImage || '<unknown>',
      (architecture ?? '') === '' ? kernel : `${kernel} (${architecture})`,
      containerRuntimeVersion || '<unknown>',
    ];
  },
};

/** The last condition of a type counts. */
const statusOf = ({spec, status}: Node): string => {
  const ready = status?.conditions?.findLast(({type}) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec?.unschedulable === true ? `${state},SchedulingDisabled` : state;
};

const rolesOf = ({metadata: {labels = {}}}: Node): string[] => {
  const roles = Object.entries(labels).map(([key, value]) =>
    key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : '',
  );
  return [...new Set(roles.filter(role => role !== ''))].sort(compareUtf8);
};

const addressOf = ({status}: Node, wanted: string): string => {
  const found = status?.addresses?.find(({type}) => type === wanted);
  return found === undefined ? '<none>' : (found.address ?? '');
};
