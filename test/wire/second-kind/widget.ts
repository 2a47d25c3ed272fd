// SPDX-License-Identifier: Apache-2.0
/**
 * A kind of its own, in one file: its schema, its strategy, its table and its definition. Nothing else in the tree names it.
 * docs/guides/add-a-resource.md walks through this file.
 */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {
  childPath,
  type Field,
  type FieldError,
  indexPath,
  invalid,
  kubeTypes,
  nameIsDnsSubdomain,
  required,
  type StructType,
  type TypeTable,
} from '@palisade/wire/kube';

const GROUP = 'test.palisade.dev';
const VERSION = 'v1';
const PREFIX = 'dev.palisade.test.v1';
const SIZE_MAX = 100;

type Part = {name?: string; amount?: number; note?: string};
type Widget = KubeObject & {
  spec?: {size?: number; settings?: Record<string, string>; tags?: string[]; parts?: Part[]; steps?: string[]};
  status?: {phase?: string};
};

const TEXT = {type: 'string'} as const;
const HEAD: readonly Field[] = [
  {name: 'kind', proto: 0, type: TEXT, inline: 'TypeMeta', go: 'string', doc: 'The kind of the object.'},
  {name: 'apiVersion', proto: 0, type: TEXT, inline: 'TypeMeta', go: 'string', doc: 'The version of the schema.'},
];

const struct = (name: string, doc: string, fields: readonly Field[], more: Partial<StructType> = {}): StructType => ({
  name: `${PREFIX}.${name}`,
  doc,
  fields,
  ...more,
});

const STRUCTS: readonly StructType[] = [
  struct(
    'Widget',
    'Widget is a thing with parts.',
    [
      ...HEAD,
      {
        name: 'metadata',
        proto: 1,
        type: {type: 'ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'},
        keepEmpty: true,
        go: 'v1.ObjectMeta',
        doc: 'Standard metadata.',
      },
      {
        name: 'spec',
        proto: 2,
        type: {type: 'ref', ref: `${PREFIX}.WidgetSpec`},
        keepEmpty: true,
        go: 'v1.WidgetSpec',
        doc: 'What is wanted.',
      },
      {
        name: 'status',
        proto: 3,
        type: {type: 'ref', ref: `${PREFIX}.WidgetStatus`},
        keepEmpty: true,
        go: 'v1.WidgetStatus',
        doc: 'What is there.',
      },
    ],
    {gvk: [{group: GROUP, version: VERSION, kind: 'Widget'}]},
  ),
  struct(
    'WidgetList',
    'WidgetList is a list of widgets.',
    [
      ...HEAD,
      {
        name: 'metadata',
        proto: 1,
        type: {type: 'ref', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'},
        keepEmpty: true,
        go: 'v1.ListMeta',
        doc: 'Standard list metadata.',
      },
      {
        name: 'items',
        proto: 2,
        type: {type: 'list', item: {type: 'ref', ref: `${PREFIX}.Widget`}, listType: 'atomic', implicit: true},
        required: true,
        keepEmpty: true,
        go: '[]v1.Widget',
        doc: 'The widgets.',
      },
    ],
    {gvk: [{group: GROUP, version: VERSION, kind: 'WidgetList'}]},
  ),
  struct('WidgetSpec', 'WidgetSpec is what is wanted of a widget.', [
    {name: 'size', proto: 1, type: {type: 'integer', format: 'int32'}, go: 'int32', doc: 'From 0 to 100.'},
    {name: 'settings', proto: 2, type: {type: 'map', value: TEXT}, go: 'map[string]string', doc: 'Owned key by key.'},
    {
      name: 'tags',
      proto: 3,
      type: {type: 'list', item: TEXT, listType: 'set', patchStrategy: 'merge'},
      go: '[]string',
      doc: 'Owned tag by tag.',
    },
    {
      name: 'parts',
      proto: 4,
      type: {
        type: 'list',
        item: {type: 'ref', ref: `${PREFIX}.WidgetPart`},
        listType: 'map',
        mapKeys: ['name'],
        patchStrategy: 'merge',
        patchMergeKey: 'name',
      },
      go: '[]v1.WidgetPart',
      doc: 'Owned part by part.',
    },
    {
      name: 'steps',
      proto: 5,
      type: {type: 'list', item: TEXT, listType: 'atomic'},
      go: '[]string',
      doc: 'Owned as a whole.',
    },
  ]),
  struct('WidgetPart', 'WidgetPart is one part of a widget.', [
    {name: 'name', proto: 1, type: TEXT, required: true, keepEmpty: true, go: 'string', doc: 'Key of the part.'},
    {name: 'amount', proto: 2, type: {type: 'integer', format: 'int32'}, go: 'int32', doc: 'How many.'},
    {name: 'note', proto: 3, type: TEXT, go: 'string', doc: 'A remark.'},
  ]),
  struct('WidgetStatus', 'WidgetStatus is what is there of a widget.', [
    {name: 'phase', proto: 1, type: TEXT, go: 'string', doc: 'Where the widget stands.'},
  ]),
];

/** The widget's structs and what they refer to. */
const types: TypeTable = {...kubeTypes, ...Object.fromEntries(STRUCTS.map(one => [one.name, one]))};

const asWidget = (object: KubeObject): Widget => object as Widget;

const validate = (draft: KubeObject): FieldError[] => {
  const {size = 0, parts = []} = asWidget(draft).spec ?? {};
  const path = childPath('spec', 'parts');
  return [
    ...(size < 0 || size > SIZE_MAX
      ? [invalid(childPath('spec', 'size'), size, `must be between 0 and ${SIZE_MAX}, inclusive`)]
      : []),
    ...parts.flatMap(({name = ''}, index) =>
      name === '' ? [required(childPath(indexPath(path, index), 'name'))] : [],
    ),
  ];
};

/** Takes one member of the object over from what is stored. */
const keep = (member: 'spec' | 'status', draft: KubeObject, current: KubeObject): void => {
  if (current[member] === undefined) delete draft[member];
  else draft[member] = current[member];
};

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  resetFields: [['status']],
  prepareForCreate: draft => {
    delete draft['status'];
  },
  prepareForUpdate: (draft, current) => keep('status', draft, current),
  validateCreate: validate,
  validateUpdate: validate,
  table: {
    columns: tableNameColumns([
      {name: 'Size', type: 'integer', format: '', description: 'From 0 to 100.', priority: 0},
    ]),
    cells: (object, nowMs) => [object.metadata.name ?? '', asWidget(object).spec?.size ?? 0, tableAge(object, nowMs)],
  },
};

export const widgetKind: KindDefinition = {
  group: GROUP,
  version: VERSION,
  kind: 'Widget',
  listKind: 'WidgetList',
  resource: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: `${PREFIX}.Widget`,
  types,
  registryPath: 'widgets',
  internalName: 'test.Widget',
  strategy,
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      resetFields: [['spec']],
      prepareForUpdate: (draft, current) => keep('spec', draft, current),
    },
  ],
};
