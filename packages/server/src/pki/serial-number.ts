// SPDX-License-Identifier: Apache-2.0
/** One text for each serial number: whole bytes in capital hexadecimal digits without leading zero bytes, as node:crypto and openssl print it. */
export const serialNumberOf = (hex: string): string => {
  const digits = BigInt(`0x${hex}`).toString(16).toUpperCase();
  return digits.length % 2 === 0 ? digits : `0${digits}`;
};
