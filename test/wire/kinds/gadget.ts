// SPDX-License-Identifier: Apache-2.0
/**
 * A kind without namespaces, in one file: its content lies beside metadata, a list has two keys of which one has a default,
 * a map is owned as a whole, a PUT creates nothing and needs the resourceVersion.
 */
import {ALL_VERBS, type KindDefinition, type KubeObject, tableAge, tableNameColumns} from '@palisade/apiserver';
import {
  childPath,
  type FieldError,
  indexPath,
  invalid,
  kindStructs,
  kubeTypes,
  nameIsDnsSubdomain,
  portNumberFaults,
  required,
  type StructType,
} from '@palisade/kube-wire';

const GROUP = 'test.palisade.dev';
const TYPE = 'dev.palisade.test.v1.Gadget';
const TEXT = {type: 'string'} as const;

type Gadget = KubeObject & {colour?: string; data?: Record<string, string>; doors?: {port?: number}[]};

const DOOR: StructType = {
  name: 'dev.palisade.test.v1.GadgetDoor',
  doc: 'GadgetDoor is a way in.',
  fields: [
    {
      name: 'port',
      proto: 1,
      type: {type: 'integer', format: 'int32'},
      required: true,
      keepEmpty: true,
      go: 'int32',
      doc: 'Number.',
    },
    {name: 'protocol', proto: 2, type: TEXT, default: 'TCP', go: 'v1.Protocol', doc: 'TCP when absent.'},
    {name: 'note', proto: 3, type: TEXT, pointer: true, go: '*string', doc: 'An empty remark is one.'},
  ],
};

const OBJECT = kindStructs({
  group: GROUP,
  version: 'v1',
  kind: 'Gadget',
  typeName: TYPE,
  doc: 'Gadget is a thing with doors.',
  fields: [
    {name: 'colour', proto: 2, type: TEXT, go: 'string', doc: 'Of the outside.'},
    {name: 'serial', proto: 3, type: {type: 'integer', format: 'int64'}, go: 'int64', doc: 'Up to 64 bits.'},
    {name: 'data', proto: 4, type: {type: 'map', value: TEXT}, go: 'map[string]string', doc: 'Owned key by key.'},
    {
      name: 'limits',
      proto: 5,
      type: {type: 'map', value: TEXT, atomic: true},
      go: 'map[string]string',
      doc: 'Owned as a whole.',
    },
    {
      name: 'doors',
      proto: 6,
      type: {
        type: 'list',
        item: {type: 'ref', ref: DOOR.name},
        listType: 'map',
        mapKeys: ['port', 'protocol'],
        patchStrategy: 'merge',
        patchMergeKey: 'port',
      },
      go: '[]v1.GadgetDoor',
      doc: 'Owned door by door.',
    },
    {
      name: 'codes',
      proto: 7,
      type: {type: 'list', item: TEXT, listType: 'set'},
      go: '[]string',
      doc: 'Owned one by one.',
    },
    {
      name: 'sizes',
      proto: 8,
      type: {type: 'list', item: {type: 'integer', format: 'int32'}, listType: 'set', patchStrategy: 'merge'},
      go: '[]int32',
      doc: 'Numbers, owned one by one.',
    },
    {name: 'ratio', proto: 9, type: {type: 'number'}, go: 'float64', doc: 'A floating point number.'},
    {name: 'seal', proto: 10, type: {type: 'string', format: 'byte'}, go: '[]byte', doc: 'Bytes, in base64.'},
  ],
});

const validate = (draft: KubeObject): FieldError[] => {
  const {colour = '', doors = []} = draft as Gadget;
  return [
    ...(colour === '' ? [required('colour')] : []),
    ...(colour === 'none' ? [invalid('colour', colour, 'is no colour')] : []),
    ...doors.flatMap(({port = 0}, index) =>
      portNumberFaults(port).map(fault => invalid(childPath(indexPath('doors', index), 'port'), port, fault)),
    ),
  ];
};

export const gadgetKind: KindDefinition = {
  group: GROUP,
  version: 'v1',
  kind: 'Gadget',
  listKind: 'GadgetList',
  resource: 'gadgets',
  singular: 'gadget',
  namespaced: false,
  verbs: ALL_VERBS,
  typeName: TYPE,
  types: {...kubeTypes, ...OBJECT, [DOOR.name]: DOOR},
  registryPath: `${GROUP}/gadgets`,
  internalName: 'test.Gadget',
  strategy: {
    validateName: nameIsDnsSubdomain,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: false,
    validateCreate: validate,
    validateUpdate: validate,
    table: {
      columns: tableNameColumns([{name: 'Colour', type: 'string', format: '', description: 'Outside.', priority: 0}]),
      cells: (object, nowMs) => [
        object.metadata.name ?? '',
        (object as Gadget).colour ?? '<none>',
        tableAge(object, nowMs),
      ],
    },
  },
};
