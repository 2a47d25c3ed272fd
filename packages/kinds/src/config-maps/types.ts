// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';

/** Base64; null: sent as null, which is stored as no bytes. */
export type Bytes = Readonly<Record<string, string | null>>;

/** As decoded: what is absent is undefined, maps are never empty. */
export type ConfigMap = KubeObject & {
  readonly immutable?: boolean;
  readonly data?: Readonly<Record<string, string>>;
  binaryData?: Bytes;
};
