// SPDX-License-Identifier: Apache-2.0
/**
 * Addresses that no check may connect to (E-061): a user who may write a group would otherwise reach what listens on this machine
 * only, or ask every host of a link. Nothing is resolved: a name is refused.
 */
import {BlockList, isIP} from 'node:net';

/** Why the address is refused; undefined: it is not. */
export type AddressGuard = (ip: string) => string | undefined;

type Family = 'ipv4' | 'ipv6';
type Block = readonly [net: string, prefix: number, family: Family];

/** Ref: RFC 6890. An IPv4 block covers the IPv4-mapped IPv6 addresses (::ffff:0:0/96) of its addresses as well. */
const REFUSED: readonly (readonly [what: string, blocks: readonly Block[]])[] = [
  [
    'an unspecified address',
    [
      ['0.0.0.0', 8, 'ipv4'],
      ['::', 128, 'ipv6'],
    ],
  ],
  [
    'a loopback address',
    [
      ['127.0.0.0', 8, 'ipv4'],
      ['::1', 128, 'ipv6'],
    ],
  ],
  [
    'a link-local address',
    [
      ['169.254.0.0', 16, 'ipv4'],
      ['fe80::', 10, 'ipv6'],
    ],
  ],
  [
    'a multicast address',
    [
      ['224.0.0.0', 4, 'ipv4'],
      ['ff00::', 8, 'ipv6'],
    ],
  ],
  ['the broadcast address', [['255.255.255.255', 32, 'ipv4']]],
  // That of most is link-local. Ref: Amazon EC2, Instance Metadata Service; Google Compute Engine, metadata server; Azure, what is IP
  // address 168.63.129.16; Alibaba Cloud ECS, instance metadata.
  [
    'an address of instance metadata',
    [
      ['168.63.129.16', 32, 'ipv4'],
      ['100.100.100.200', 32, 'ipv4'],
      ['fd00:ec2::254', 128, 'ipv6'],
      ['fd20:ce::254', 128, 'ipv6'],
    ],
  ],
  // An address of IPv4 in another dress: what it would reach depends on the machine (RFC 4291 section 2.5.5.1, RFC 6052).
  [
    'an IPv6 address that stands for one of IPv4',
    [
      ['::', 96, 'ipv6'],
      ['::ffff:0:0:0', 96, 'ipv6'],
      ['64:ff9b::', 96, 'ipv6'],
      ['64:ff9b:1::', 48, 'ipv6'], // RFC 8215: where the one of IPv4 is in it depends on the translator
    ],
  ],
];

const LISTS = REFUSED.map(([what, blocks]) => {
  const list = new BlockList();
  for (const [net, prefix, family] of blocks) list.addSubnet(net, prefix, family);
  return {what, list};
});

/** All of them: one look is enough for an address that is not refused. */
const ANY = new BlockList();
for (const [, blocks] of REFUSED) for (const [net, prefix, family] of blocks) ANY.addSubnet(net, prefix, family);

const SIX_TO_FOUR = new BlockList();
SIX_TO_FOUR.addSubnet('2002::', 16, 'ipv6');

export const refusedAddress: AddressGuard = ip => {
  const version = isIP(ip);
  if (version === 0) return 'not an IP address';
  if (ip.includes('%')) return 'an address with a zone';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (ANY.check(ip, family)) return LISTS.find(({list}) => list.check(ip, family))?.what;
  if (version === 4 || !SIX_TO_FOUR.check(ip, 'ipv6')) return undefined;
  const embedded = refusedAddress(relayOf(ip));
  return embedded === undefined ? undefined : `an IPv6 address (6to4) of ${embedded}`;
};

/** Address of IPv4 that packets to a 6to4 address go to: the 32 bits after 2002. Ref: RFC 3056 section 2. */
const relayOf = (ip: string): string => {
  const [, high = '0', low = '0'] = new URL(`http://[${ip}]`).hostname.slice(1, -1).replace('::', ':0:0:').split(':');
  return [high, low].flatMap(text => [Number.parseInt(text, 16) >> 8, Number.parseInt(text, 16) & 0xff]).join('.');
};
