// SPDX-License-Identifier: Apache-2.0
/**
 * A sample of flows: 1 of N, by a hash of Suricata's flow id, which no other flow has. So a flow that is read again, after a crash, is judged
 * as it was, and no property of the traffic (address, port, size, time) makes a flow more likely to be chosen.
 * The sample of a larger N is a part of that of a smaller one.
 */

/** FNV-1a, 32 bits. Ref: draft-eastlake-fnv. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const RANGE = 2 ** 32;

/** Every bit of the input changes every bit of the result with a chance of one half. Ref: MurmurHash3 fmix32. */
const mixed = (hash: number): number => {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
};

const hashOf = (text: string): number => {
  let hash = FNV_OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mixed(hash);
};

/** `oneOf`: 1 or more. */
export const isInSample = (flowId: string, oneOf: number): boolean => oneOf <= 1 || hashOf(flowId) < RANGE / oneOf;
