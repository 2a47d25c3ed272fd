// SPDX-License-Identifier: Apache-2.0
import {decodeUtf8} from '@palisade/kube-wire';

const NOT_ASCII = /[\x80-\xff]/;

/**
 * Clients send header texts as UTF-8, and Go takes the bytes as they are; Node reads each byte as a letter. Each byte that is no
 * UTF-8 becomes U+FFFD.
 */
export const headerText = (value: string): string => {
  if (!NOT_ASCII.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return decodeUtf8(bytes, 0, bytes.length);
};
