// SPDX-License-Identifier: Apache-2.0
/** What commands print of a Secret: keys and sizes, as `kubectl describe` does. Ref: kubectl pkg/describe/describe.go describeSecret. */
import type {KubeObject} from '@palisade/client';

type Secret = KubeObject & {
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
};

/** kubectl's own copy of the manifest, values included. */
const COPY = 'kubectl.kubernetes.io/last-applied-configuration';

const sizes = (values: Readonly<Record<string, string>>, encoding: 'base64' | 'utf8'): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, `${Buffer.byteLength(String(value), encoding)} bytes`]),
  );

/** An object of any other kind is returned as it is. */
export const withoutSecretValues = <T extends KubeObject>(object: T): T => {
  if (object.kind !== 'Secret') return object;
  const {data, stringData, metadata} = object as Secret;
  const {[COPY]: _, ...annotations} = metadata?.annotations ?? {};
  return {
    ...object,
    ...(metadata?.annotations !== undefined && {metadata: {...metadata, annotations}}),
    ...(data !== undefined && {data: sizes(data, 'base64')}),
    ...(stringData !== undefined && {stringData: sizes(stringData, 'utf8')}),
  };
};
