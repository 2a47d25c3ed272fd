// SPDX-License-Identifier: Apache-2.0
import {type Ipv4Range, parseIpv4Range} from '../pool/ipv4-range.ts';

/** Throws for what is no range. */
export const rangeOf = (cidr: string): Ipv4Range => {
  const range = parseIpv4Range(cidr);
  if (range === undefined) throw new RangeError(cidr);
  return range;
};
