// SPDX-License-Identifier: Apache-2.0
/**
 * A kind of its own, in one file: its schema, its strategy, its table and its definition. Only its fixture names it.
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
  type FieldError,
  indexPath,
  invalid,
  kindStructs,
  kubeTypes,
  nameIsDnsSubdomain,
  required,
  type StructType,
  type TypeTable,
} from '@palisade/kube-wire';

const GROUP = 'test.palisade.dev';
const VERSION = 'v1';
const KIND = 'Widget';
const PREFIX = 'dev.palisade.test.v1';
const SIZE_MAX = 100;

type Part = {name?: string; amount?: number; note?: string};
type Spec = {
  model?: string;
  size?: number;
  settings?: Record<string, string>;
  tags?: string[];
  parts?: Part[];
  steps?: string[];
};
type Widget = KubeObject & {spec?: Spec; status?: {phase?: string}};

const TEXT = {type: 'string'} as const;
const NUMBER = {type: 'integer', format: 'int32'} as const;

const OBJECT = kindStructs({
  group: GROUP,
  version: VERSION,
  kind: KIND,
  typeName: `${PREFIX}.Widget`,
  doc: 'Widget is a thing with parts.',
  fields: [
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
});

const SPEC: StructType = {
  name: `${PREFIX}.WidgetSpec`,
  doc: 'WidgetSpec is what is wanted of a widget.',
  fields: [
    {name: 'model', proto: 1, type: TEXT, go: 'string', doc: 'Cannot be changed once it is set.'},
    {name: 'size', proto: 2, type: NUMBER, go: 'int32', doc: 'From 0 to 100.'},
    {name: 'settings', proto: 3, type: {type: 'map', value: TEXT}, go: 'map[string]string', doc: 'Owned key by key.'},
    {
      name: 'tags',
      proto: 4,
      type: {type: 'list', item: TEXT, listType: 'set', patchStrategy: 'merge'},
      go: '[]string',
      doc: 'Owned tag by tag.',
    },
    {
      name: 'parts',
      proto: 5,
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
      proto: 6,
      type: {type: 'list', item: TEXT, listType: 'atomic'},
      go: '[]string',
      doc: 'Owned as a whole.',
    },
  ],
};

const PART: StructType = {
  name: `${PREFIX}.WidgetPart`,
  doc: 'WidgetPart is one part of a widget.',
  fields: [
    {name: 'name', proto: 1, type: TEXT, required: true, keepEmpty: true, go: 'string', doc: 'Key of the part.'},
    {name: 'amount', proto: 2, type: NUMBER, go: 'int32', doc: 'How many.'},
    {name: 'note', proto: 3, type: TEXT, go: 'string', doc: 'A remark.'},
  ],
};

const STATUS: StructType = {
  name: `${PREFIX}.WidgetStatus`,
  doc: 'WidgetStatus is what is there of a widget.',
  fields: [{name: 'phase', proto: 1, type: TEXT, go: 'string', doc: 'Where the widget stands.'}],
};

/** The widget's structs and what they refer to. */
const types: TypeTable = {...kubeTypes, ...OBJECT, [SPEC.name]: SPEC, [PART.name]: PART, [STATUS.name]: STATUS};

const specOf = (object: KubeObject): Spec => (object as Widget).spec ?? {};

const validate = (draft: KubeObject): FieldError[] => {
  const {size = 0, parts = []} = specOf(draft);
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

const modelChange = (draft: KubeObject, current: KubeObject): FieldError[] => {
  const [before = '', model = ''] = [specOf(current).model, specOf(draft).model];
  return before === '' || before === model ? [] : [invalid(childPath('spec', 'model'), model, 'field is immutable')];
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
  validateUpdate: (draft, current) => [...validate(draft), ...modelChange(draft, current)],
  selectableFields: {'spec.model': object => specOf(object).model ?? ''},
  table: {
    columns: tableNameColumns([
      {name: 'Size', type: 'integer', format: '', description: 'From 0 to 100.', priority: 0},
    ]),
    cells: (object, nowMs) => [object.metadata.name ?? '', specOf(object).size ?? 0, tableAge(object, nowMs)],
  },
};

export const widgetKind: KindDefinition = {
  group: GROUP,
  version: VERSION,
  kind: KIND,
  listKind: 'WidgetList',
  resource: 'widgets',
  singular: 'widget',
  shortNames: ['wd'],
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: `${PREFIX}.Widget`,
  types,
  registryPath: `${GROUP}/widgets`,
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
