// SPDX-License-Identifier: Apache-2.0
/** The frame that every kind's structs have: kind, apiVersion, metadata, and a list of the objects. */
import {kubeTypes} from './gen/kube-types.ts';
import type {Field, TypeTable} from './schema.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** kind, apiVersion and metadata (field 1). */
const headOf = (name: string): readonly Field[] => (kubeTypes[`${META}.${name}`]?.fields ?? []).slice(0, 3);

export type KindStructs = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** For example `dev.palisade.test.v1.Widget`; the list's is the same with `List` behind it. */
  readonly typeName: string;
  readonly doc: string;
  /** What the object has besides kind, apiVersion and metadata, in the order of a JSON answer; `proto` from 2 on. */
  readonly fields: readonly Field[];
  /** As in StructType. */
  readonly open?: boolean;
};

/** The structs of a kind and of its list, by name. */
export const kindStructs = ({group, version, kind, typeName, doc, fields, open}: KindStructs): TypeTable => ({
  [typeName]: {
    name: typeName,
    doc,
    fields: [...headOf('PartialObjectMetadata'), ...fields],
    ...(open === true && {open}),
    gvk: [{group, version, kind}],
  },
  [`${typeName}List`]: {
    name: `${typeName}List`,
    doc: `${kind}List is a list of ${kind} objects.`,
    fields: [
      ...headOf('PartialObjectMetadataList'),
      {
        name: 'items',
        proto: 2,
        type: {type: 'list', item: {type: 'ref', ref: typeName}, listType: 'atomic', implicit: true},
        required: true,
        keepEmpty: true,
        go: `[]${version}.${kind}`,
        doc: `The ${kind} objects.`,
      },
    ],
    gvk: [{group, version, kind: `${kind}List`}],
  },
});
