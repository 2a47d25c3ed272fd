// SPDX-License-Identifier: Apache-2.0
/** What the store tests write: random from a seed, and values whose every byte follows from their id. */

/** Numbers in [0, 1), the same for the same seed. Ref: mulberry32 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

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
