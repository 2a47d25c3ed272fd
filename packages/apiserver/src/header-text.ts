// SPDX-License-Identifier: Apache-2.0
const NOT_ASCII = /[\x80-\xff]/;

/** Clients send header texts as UTF-8, and Go takes the bytes as they are; Node reads each byte as a letter. Bytes that are no UTF-8 become U+FFFD. */
export const headerText = (value: string): string =>
  NOT_ASCII.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
