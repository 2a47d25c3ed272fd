// SPDX-License-Identifier: Apache-2.0
/**
 * The schema model of the Kubernetes side: what every layer reads instead of knowing a kind by heart.
 * Decoding, encoding (JSON key order, YAML, protobuf), defaulting, strategic merge, server-side apply, OpenAPI,
 * `kubectl explain` and the Table columns all walk these types. The tables are generated (`npm run gen`) into `src/gen/`.
 */

/** How the members of a list are owned and merged by server-side apply. Ref: Kubernetes structured merge, x-kubernetes-list-type. */
export type ListType = 'atomic' | 'set' | 'map';

export type FieldType =
  | {readonly type: 'string'; readonly format?: 'date-time' | 'micro-time' | 'byte'; readonly enum?: readonly string[]}
  | {readonly type: 'integer'; readonly format: 'int32' | 'int64'}
  | {readonly type: 'number'}
  | {readonly type: 'boolean'}
  /** A whole number (32 bits) or a string, kept as it was sent. Ref: apimachinery pkg/util/intstr. */
  | {readonly type: 'int-or-string'}
  /** An amount with a suffix (`500m`, `4Gi`), kept in its canonical form. Ref: apimachinery pkg/api/resource. */
  | {readonly type: 'quantity'}
  /** Any JSON value, kept as it is. `raw`: bytes in Go (FieldsV1, RawExtension), one message around them in protobuf. */
  | {readonly type: 'any'; readonly raw?: true}
  /** A struct, by its name in the type table. */
  | {readonly type: 'ref'; readonly ref: string}
  /** A string-keyed map; `atomic` maps are owned as a whole. */
  | {readonly type: 'map'; readonly value: FieldType; readonly atomic?: boolean}
  | {
      readonly type: 'list';
      readonly item: FieldType;
      readonly listType: ListType;
      /** The type does not say how the list is owned: `atomic` by default, and absent from OpenAPI documents. */
      readonly implicit?: true;
      /** Keys of `listType: 'map'`. */
      readonly mapKeys?: readonly string[];
      /** Strategic merge: `merge` with `patchMergeKey` (absent for lists of scalars). Absent means replace. */
      readonly patchStrategy?: 'merge';
      readonly patchMergeKey?: string;
      /** A named list in Go (Verbs, ExtraValue): a message around the items in protobuf. */
      readonly wrapped?: true;
    };

export type Field = {
  /** Name on the wire (camelCase JSON). */
  readonly name: string;
  /** Field number in Kubernetes protobuf. */
  readonly proto: number;
  readonly type: FieldType;
  readonly required?: boolean;
  /** Go keeps an empty value on the wire when a field has no `omitempty`, and a set pointer to an empty value. */
  readonly keepEmpty?: boolean;
  /** The field is a pointer in Go: an explicit `""`, `0` or `false` is a value, not absence. */
  readonly pointer?: boolean;
  /** Filled in by the server when the field is absent, null or empty. Not part of the OpenAPI document. */
  readonly default?: string | number | boolean;
  /** What OpenAPI documents name as the default besides Go's zero value of fields that are always written. */
  readonly published?: string;
  /** The embedded Go struct that the field comes from (`TypeMeta`). */
  readonly inline?: string;
  /** Go type as the decoder prints it in its errors, for example `[]v1.EndpointSubset`, `types.UID`. */
  readonly go: string;
  readonly doc: string;
};

export type StructType = {
  /** For example `io.k8s.api.core.v1.Endpoints`. */
  readonly name: string;
  readonly doc: string;
  /** In Go declaration order, which is the key order of a JSON answer. */
  readonly fields: readonly Field[];
  /** x-kubernetes-map-type: atomic: owned as a whole by server-side apply. */
  readonly atomic?: boolean;
  /** Names that are accepted and dropped, also under strict validation (our own deviations from upstream). */
  readonly ignored?: readonly string[];
  /** OpenAPI describes an object of any fields (x-kubernetes-preserve-unknown-fields), so that no client refuses one before it is sent. */
  readonly open?: boolean;
  /** The kinds that this struct is the top level of. */
  readonly gvk?: readonly {readonly group: string; readonly version: string; readonly kind: string}[];
};

/** Types by name. */
export type TypeTable = Readonly<Record<string, StructType>>;

/** A JSON value as it is on the wire. A whole number beyond 2^53 that fits in 64 bits is a bigint: none is rounded. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | {readonly [key: string]: Json};
export type JsonObject = {readonly [key: string]: Json};
