// SPDX-License-Identifier: Apache-2.0
/** Short forms for the structs of our own kinds: one line a field. The order of a list of fields is that of a JSON answer. */
import type {Field, FieldType, StructType} from '@palisade/kube-wire';

type More = Partial<Pick<Field, 'required' | 'keepEmpty' | 'pointer' | 'default'>>;
/** A field without its number. */
export type Numberless = Omit<Field, 'proto'>;

const field =
  (type: FieldType, go: string) =>
  (name: string, doc: string, more: More = {}): Numberless => ({name, type, go, doc, ...more});

export const text = field({type: 'string'}, 'string');
export const flag = field({type: 'boolean'}, 'bool');
export const int32 = field({type: 'integer', format: 'int32'}, 'int32');
export const int64 = field({type: 'integer', format: 'int64'}, 'int64');
export const time = field({type: 'string', format: 'date-time'}, 'v1.Time');
export const microTime = field({type: 'string', format: 'micro-time'}, 'v1.MicroTime');
export const bytes = field({type: 'string', format: 'byte'}, '[]byte');

const goOf = (ref: string): string => `v1alpha1.${ref.slice(ref.lastIndexOf('.') + 1)}`;

export const struct = (ref: string, name: string, doc: string, more: More = {}): Numberless =>
  field({type: 'ref', ref}, goOf(ref))(name, doc, more);

/** Owned value by value. */
export const textSet = (name: string, doc: string): Numberless =>
  field({type: 'list', item: {type: 'string'}, listType: 'set', patchStrategy: 'merge'}, '[]string')(name, doc);

/** Owned as a whole. */
export const structList = (ref: string, name: string, doc: string, more: More = {}): Numberless =>
  field({type: 'list', item: {type: 'ref', ref}, listType: 'atomic'}, `[]${goOf(ref)}`)(name, doc, more);

/** Owned item by item; strategic merge looks at the first key. */
export const keyedList = (ref: string, keys: readonly [string, ...string[]], name: string, doc: string): Numberless =>
  field(
    {
      type: 'list',
      item: {type: 'ref', ref},
      listType: 'map',
      mapKeys: keys,
      patchStrategy: 'merge',
      patchMergeKey: keys[0],
    },
    `[]${goOf(ref)}`,
  )(name, doc);

/** `first`: the protobuf number of the first field; the others follow. New fields go to the end. */
export const numbered = (fields: readonly Numberless[], first = 1): readonly Field[] =>
  fields.map((each, index) => ({...each, proto: first + index}));

export const structType = (name: string, doc: string, fields: readonly Numberless[]): StructType => ({
  name,
  doc,
  fields: numbered(fields),
});

/** A type table of structs, by name. */
export const tableOf = (...structs: readonly StructType[]): Readonly<Record<string, StructType>> =>
  Object.fromEntries(structs.map(each => [each.name, each]));
