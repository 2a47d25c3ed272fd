// SPDX-License-Identifier: Apache-2.0
/** Values for states of a disk: every byte follows from the id. */

/** `ID|` and filling, up to 60 KB in all. */
export const largeValue = (id: string): Uint8Array => {
  let hash = 7;
  for (const letter of id) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return Buffer.from(`${id}|${id.repeat((hash % 60_000) / id.length)}`);
};

/** The id of a value that is whole; undefined: a byte of it is missing or wrong. */
export const idOfLarge = (value: Uint8Array): string | undefined => {
  const id = Buffer.from(value.subarray(0, value.indexOf(124))).toString();
  return id !== '' && Buffer.compare(value, largeValue(id)) === 0 ? id : undefined;
};
