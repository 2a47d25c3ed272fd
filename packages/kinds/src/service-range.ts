// SPDX-License-Identifier: Apache-2.0
/** Ranges of addresses for Services as an operator writes them. Ref: k8s.io/utils net/parse.go ParseCIDRSloppy. */
import {formatCidr, formatIp, parseCidrSloppy} from '@palisade/kube-wire';

/** Bits that are free in a range: at least 4 addresses, at most a million, so that all of them can be looked at. */
const FREE_BITS = {least: 2, most: 20};

/** What is wrong with the text, or undefined: nothing. */
export const serviceRangeFault = (text: string): string | undefined => {
  const range = parseCidrSloppy(text);
  if (range !== undefined && !range.v4 && !formatIp(range.base).includes(':'))
    return `must not be an IPv4 range in the form of IPv6, write ${formatCidr(range)}`;
  const free = range === undefined ? 0 : (range.v4 ? 32 : 128) - range.prefix;
  return free < FREE_BITS.least || free > FREE_BITS.most
    ? 'must be a range such as 10.96.0.0/16 (from /12 to /30) or fd00:10:96::/112 (from /108 to /126)'
    : undefined;
};
