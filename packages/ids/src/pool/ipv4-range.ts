// SPDX-License-Identifier: Apache-2.0
/** Ranges of IPv4 addresses, as `--endpoint-pool` has them. Loads nothing else: the server reads its flags with it. */

export type Ipv4Range = {
  /** Canonical: 10.77.0.5/16 is `10.77.0.0/16`. */
  readonly cidr: string;
  /** First usable address, as a number. */
  readonly first: number;
  /** Usable addresses: all but those of the network and of its broadcast. */
  readonly count: number;
};

/** Undefined: not a range from /8 to /30. */
export const parseIpv4Range = (text: string): Ipv4Range | undefined => {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(text);
  const parts = match?.slice(1, 5).map(Number) ?? [];
  const bits = Number(match?.[5]);
  if (match === null || parts.some(part => part > 255) || bits < 8 || bits > 30) return undefined;
  const size = 2 ** (32 - bits);
  const address = parts.reduce((sum, part) => sum * 256 + part, 0);
  const network = address - (address % size);
  return {cidr: `${formatIpv4(network)}/${bits}`, first: network + 1, count: size - 2};
};

export const formatIpv4 = (address: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(address / 2 ** shift) % 256).join('.');
