// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/printers/internalversion/printers.go printRoleBinding; apiserver/pkg/registry/rest/table.go. */
import {type KubeObject, type TableColumn, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {kubeTypes} from '@palisade/kube-wire';
import {type Binding, roleRefOf} from './types.ts';

const docOf = (type: string, field: string): string =>
  kubeTypes[type]?.fields.find(({name}) => name === field)?.doc ?? '';

const metaDoc = (field: string): string => docOf('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', field);

/** What kinds without columns of their own have: name and time of creation. */
export const plainTable: TableConvertor = {
  columns: [
    {name: 'Name', type: 'string', format: 'name', description: metaDoc('name'), priority: 0},
    {name: 'Created At', type: 'date', format: '', description: metaDoc('creationTimestamp'), priority: 0},
  ],
  nullForNone: true,
  // A bookmark has no time, which Go prints all the same.
  cells: ({metadata}) => [metadata.name ?? '', metadata.creationTimestamp ?? '0001-01-01T00:00:00Z'],
};

export const bindingTable = (kind: 'RoleBinding' | 'ClusterRoleBinding'): TableConvertor => {
  const what = kind === 'RoleBinding' ? 'roleBinding' : 'clusterRoleBinding';
  const wide = (name: string): TableColumn => ({
    name,
    type: 'string',
    format: '',
    description: `${name} in the ${what}`,
    priority: 1,
  });
  // The reference takes the text of v1beta1, which is the same but for its last sentence.
  const description = docOf(`io.k8s.api.rbac.v1.${kind}`, 'roleRef').replace(' This field is immutable.', '');
  return {
    columns: [
      ...tableNameColumns([{name: 'Role', type: 'string', format: '', description, priority: 0}]),
      wide('Users'),
      wide('Groups'),
      wide('ServiceAccounts'),
    ],
    cells: (object: KubeObject, nowMs) => {
      const {subjects = []} = object as Binding;
      const role = roleRefOf(object as Binding);
      const named = (wanted: string): string =>
        subjects.flatMap(({kind: each, name = ''}) => (each === wanted ? [name] : [])).join(', ');
      const accounts = subjects.flatMap(({kind: each, namespace = '', name = ''}) =>
        each === 'ServiceAccount' ? [`${namespace}/${name}`] : [],
      );
      return [
        object.metadata.name ?? '',
        `${role.kind}/${role.name}`,
        tableAge(object, nowMs),
        named('User'),
        named('Group'),
        accounts.join(', '),
      ];
    },
  };
};
