// SPDX-License-Identifier: Apache-2.0
/** Addresses and VNIs that are free. What is taken is in the store; this only chooses, and reserves until the write is decided. */
import {formatIpv4, type Ipv4Range} from './ipv4-range.ts';

/** Ref: RFC 7348: 24 bits. 0 is left out. */
export const VNI_MAX = 0xffffff;

/** Walks round a range, so that an address that was just freed is not taken again at once. */
class Ring<T> {
  readonly #count: number;
  readonly #format: (index: number) => T;
  readonly #reserved = new Set<T>();
  #next = 0;

  constructor(count: number, format: (index: number) => T) {
    this.#count = count;
    this.#format = format;
  }

  /** Undefined: all are taken. Reserved until `release`. */
  take(isTaken: (value: T) => boolean): T | undefined {
    for (let tried = 0; tried < this.#count; tried += 1) {
      const value = this.#format(this.#next);
      this.#next = (this.#next + 1) % this.#count;
      if (this.#reserved.has(value) || isTaken(value)) continue;
      this.#reserved.add(value);
      return value;
    }
    return undefined;
  }

  release(value: T): void {
    this.#reserved.delete(value);
  }

  /** Goes on somewhere else. `where`: from 0 to below 1. */
  jump(where: number): void {
    this.#next = Math.floor(where * this.#count);
  }
}

export type Lease = {readonly ip: string; readonly vni: number};

export class IpPool {
  readonly #ips: Ring<string>;
  readonly #vnis: Ring<number>;
  readonly size: number;

  constructor(range: Ipv4Range, vniMax = VNI_MAX) {
    this.size = range.count;
    this.#ips = new Ring(range.count, index => formatIpv4(range.first + index));
    this.#vnis = new Ring(vniMax, index => index + 1);
  }

  /** An address and a VNI that nobody has; undefined when one of them is used up. `release` it when the write is decided. */
  lease(taken: {readonly ip: (ip: string) => boolean; readonly vni: (vni: number) => boolean}): Lease | undefined {
    const ip = this.#ips.take(taken.ip);
    if (ip === undefined) return undefined;
    const vni = this.#vnis.take(taken.vni);
    if (vni !== undefined) return {ip, vni};
    this.#ips.release(ip);
    return undefined;
  }

  /** Goes on at another place of both ranges: what comes next is in use by somebody outside, perhaps another server on this machine. */
  jump(where: number): void {
    this.#ips.jump(where);
    this.#vnis.jump(where);
  }

  release(lease: Lease): void {
    this.#ips.release(lease.ip);
    this.#vnis.release(lease.vni);
  }
}
