// SPDX-License-Identifier: Apache-2.0
/** What the suites have to be told about a kind. Everything else they take from its definition. */
import type {KindDefinition} from '@palisade/apiserver';

/** Members of an object besides kind, apiVersion and metadata. */
export type Content = Readonly<Record<string, unknown>>;

/** A list that an object of the kind has, with items to fill it: equal keys are the same item, equal values the same content. */
export type ListFixture = {
  readonly listType: 'atomic' | 'map' | 'set';
  /** Names from the top of the object: `['spec', 'parts']`. */
  readonly path: readonly string[];
  /** An item as it is stored. */
  item(key: number, value?: number): unknown;
  /** An item as a client may send it; absent: as it is stored. */
  sent?(key: number, value?: number): unknown;
  /** What managedFields call the item: `k:{…}` or `v:…`. Atomic lists have none. */
  element?(key: number): string;
  /** The field of an item that differs with its value, behind the list's own path in a conflict. */
  differsAt?(key: number): string;
  /** What a strategic merge patch does: merge by this key, by value, or replace the list. */
  readonly strategic: {readonly mergeKey: string} | 'by value' | 'replace';
};

export type KindFixture = {
  readonly definition: KindDefinition;
  /** Content as it is stored. Two of them differ in `differsAt` alone. */
  content(n: number): Content;
  /** One field, as conflicts name it: `.spec.size`. */
  readonly differsAt: string;
  /** The content as managedFields name it. */
  readonly owned: Content;
  /** What an object cannot be made without, such as a required field; absent: nothing. `content` has it, too. */
  readonly minimal?: Content;
  /** What an object shows that has no content at all. */
  readonly empty: Content;
  /** What the server gives to each object with the `minimal` content by itself. */
  readonly given?: {readonly labels: Readonly<Record<string, string>>; readonly status: Content};
  /** metadata.generation of a new object; absent: the kind counts none. */
  readonly generation?: number;
  readonly lists: readonly ListFixture[];
  /** Content that is refused with 422, and the path of each cause in order. */
  readonly faulty: {readonly content: Content; readonly fields: readonly string[]};
  /** Content with a field that the schema has not, and its path. */
  readonly unknown: {readonly content: Content; readonly path: string};
  /** Content with a value of another type, and what the decoder says of it. */
  readonly mistyped: {readonly content: Content; readonly text: string};
  /** Content that cannot be changed into the other once it is stored, and the path of the cause. */
  readonly immutable?: {readonly before: Content; readonly after: Content; readonly field: string};
  /** One content in all encodings: as YAML and JSON with members in any order, as it is shown in JSON and YAML. */
  readonly texts: {
    readonly sentYaml: string;
    readonly sentJson: Content;
    readonly json: string;
    /** Pieces of it: keys are sorted, so those of every kind lie between its own. */
    readonly yaml: readonly string[];
  };
  /** Columns between Name and Age, and their cells for `content(n)`. */
  readonly table: {
    readonly columns: readonly string[];
    cells(n: number): readonly unknown[];
    /** Columns behind Age, of `kubectl get -o wide`. */
    readonly wide?: {readonly columns: readonly string[]; cells(n: number): readonly unknown[]};
  };
  /** The subresource `status`: its content, and what a plain write does not touch. */
  readonly status?: Content;
  /** A field of the kind's own that selectors know, and content that has this value there. */
  readonly selectable?: {readonly field: string; readonly value: string; readonly content: Content};
};

/** The lists of metadata: every kind has them. */
export const METADATA_LISTS: readonly ListFixture[] = [
  {
    listType: 'set',
    path: ['metadata', 'finalizers'],
    item: key => `example.com/f${key}`,
    element: key => `v:"example.com/f${key}"`,
    strategic: 'by value',
  },
  {
    listType: 'map',
    path: ['metadata', 'ownerReferences'],
    item: (key, value = 0) => ({apiVersion: 'example.com/v1', kind: 'Thing', name: `t${value}`, uid: `u-${key}`}),
    element: key => `k:{"uid":"u-${key}"}`,
    differsAt: key => `[uid="u-${key}"]`,
    strategic: {mergeKey: 'uid'},
  },
];
