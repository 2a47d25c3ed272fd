// SPDX-License-Identifier: Apache-2.0
/** What the store tests write: values whose every byte follows from their id. */

/** `id|` and filling, 0 to 3 KB in all, derived from the id. */
export function fillValue(id: string): Uint8Array {
  let hash = 7;
  for (let i = 0; i < id.length; i++) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) >>> 0;
  return new TextEncoder().encode(`${id}|${String.fromCharCode(97 + (hash % 26)).repeat(hash % 3_000)}`);
}

/** The id in a value that is whole; undefined when a byte of it is missing or wrong. */
export function idOf(value: Uint8Array): string | undefined {
  const id = new TextDecoder().decode(value.subarray(0, value.indexOf(124)));
  return Buffer.compare(value, fillValue(id)) === 0 ? id : undefined;
}
