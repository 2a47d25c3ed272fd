// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses of one range for Services. Ref: kubernetes v1.36 pkg/registry/core/service/ipallocator/ipallocator.go,
 * pkg/api/servicecidr/servicecidr.go.
 */
import type {Random} from '@palisade/apiserver';
import {formatIp, type IpBytes, type IpRange, ipKey, parseCidrSloppy, parseIpSloppy} from '@palisade/kube-wire';
import type {IpFamily} from '../types.ts';
import {bandOf, createPool} from './pool.ts';

const BAND = {least: 16, most: 256, part: 16};

/** What was taken, or why it was not, in upstream's words. */
export type Taken = {readonly ok: true; readonly ip: string} | {readonly ok: false; readonly why: string};

export type IpPool = {
  readonly family: IpFamily;
  take(ip: string): Taken;
  /** Undefined: the range is full. */
  takeAny(): string | undefined;
  giveBack(ip: string): void;
  /** Notes an address as held, whoever holds it besides. Those of other ranges are not noted. */
  hold(ip: string): void;
  /** What `take` and `takeAny` say of a write that takes nothing: it looks at the range, not at who has what. */
  tryTake(ip: string): Taken;
  tryAny(): string;
};

const refuse = (why: string): Taken => ({ok: false, why});

/** Distance of an address from the base of the range; outside of it negative or beyond any. */
const distance = (from: IpBytes, to: IpBytes): number => {
  let sum = 0;
  for (let i = 0; i < from.length; i++) sum = sum * 256 + ((to[i] ?? 0) - (from[i] ?? 0));
  return sum;
};

const plus = (base: IpBytes, offset: number): IpBytes => {
  const bytes = base.slice();
  for (let at = bytes.length - 1, carry = offset; carry > 0 && at >= 0; at--) {
    const sum = (bytes[at] ?? 0) + (carry % 256);
    bytes[at] = sum % 256;
    carry = Math.floor(carry / 256) + Math.floor(sum / 256);
  }
  return bytes;
};

const rangeOf = (cidr: string): IpRange => {
  const range = parseCidrSloppy(cidr);
  if (range === undefined) throw new RangeError(`${cidr} is no range of addresses`);
  return range;
};

/** The one that the Service `kubernetes` has. Throws RangeError. */
export const firstIpOf = (cidr: string): string => formatIp(plus(rangeOf(cidr).base, 1));

/** `cidr` was checked with the other settings. Throws RangeError for what is no range. */
export const createIpPool = (cidr: string, random: Random): IpPool => {
  const {base, prefix, v4} = rangeOf(cidr);
  const count = 2 ** ((v4 ? 32 : 128) - prefix);
  const size = v4 ? count - 2 : count - 1; // neither the network's own address, nor the one for all of IPv4
  const pool = createPool(size, bandOf(count, BAND), random);
  const shown = `${formatIp(base)}/${prefix}`;
  const offsetOf = (ip: string): number | undefined => {
    const bytes = parseIpSloppy(ip);
    const offset = bytes === undefined ? -1 : distance(base, bytes) - 1;
    return offset >= 0 && offset < size ? offset : undefined;
  };
  const ipAt = (offset: number): string => formatIp(plus(base, offset + 1));
  const withOffset = (ip: string, act: (offset: number) => void): void => {
    const offset = offsetOf(ip);
    if (offset !== undefined) act(offset);
  };
  return {
    family: v4 ? 'IPv4' : 'IPv6',
    take: ip => {
      const offset = offsetOf(ip);
      if (offset === undefined) return refuse('the provided network does not match the current range');
      if (pool.has(offset)) return refuse('provided IP is already allocated');
      pool.take(offset);
      return {ok: true, ip};
    },
    takeAny: () => {
      const offset = pool.takeAny();
      return offset === undefined ? undefined : ipAt(offset);
    },
    giveBack: ip => withOffset(ip, pool.giveBack),
    hold: ip => withOffset(ip, pool.take),
    tryTake: ip =>
      offsetOf(ip) === undefined
        ? refuse(`the provided IP (${ipKey(ip) ?? ip}) is not in the valid range. The range of valid IPs is ${shown}`)
        : {ok: true, ip},
    tryAny: () => formatIp(base),
  };
};
