// SPDX-License-Identifier: Apache-2.0
/** What commands print of a Secret: keys and sizes, as `kubectl describe` does, of annotations too. Ref: kubectl pkg/describe/describe.go describeSecret. */
import type {KubeObject} from '@palisade/client';

type Secret = KubeObject & {
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
};

const sizes = (values: Readonly<Record<string, string>>, encoding: 'base64' | 'utf8'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, `${Buffer.byteLength(String(value), encoding)} bytes`]),
  );

/** Tools keep copies of the whole manifest in annotations, under names of their own: no annotation is known to have none. */
const hidden = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(sizes(annotations, 'utf8')).map(([key, size]) => [key, `<hidden>, ${size}`]));

/** An object of any other kind is returned as it is. */
export const withoutSecretValues = <T extends KubeObject>(object: T): T => {
  if (object.kind !== 'Secret') return object;
  const {data, stringData, metadata} = object as Secret;
  return {
    ...object,
    ...(metadata?.annotations != null && {metadata: {...metadata, annotations: hidden(metadata.annotations)}}),
    ...(data !== undefined && {data: sizes(data, 'base64')}),
    ...(stringData !== undefined && {stringData: sizes(stringData, 'utf8')}),
  };
};
