// SPDX-License-Identifier: Apache-2.0
/** What VXLAN carries is Ethernet: packets of other link layers get a made-up Ethernet header. Ref: https://www.tcpdump.org/linktypes.html. */

const ETHERNET_HEADER_BYTES = 14;
/** Both locally administered: no device has them. */
const MADE_UP_ADDRESSES = Buffer.from([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]);
const ETHERTYPE = {ipv4: 0x0800, ipv6: 0x86dd} as const;
/** A number below it is a length. Ref: IEEE 802.3. */
const ETHERTYPE_MIN = 0x0600;
const LENGTH_MAX = 1_500;

/** AF_INET, and AF_INET6 of Linux, the BSDs and macOS. */
const IP_FAMILIES = [2, 10, 24, 28, 30];
/** Numbers of Linux' `ARPHRD_…` for which the protocol of a cooked header is no EtherType: frame relay, 802.11 with radio data, netlink. */
const NO_ETHERTYPE_DEVICES = [770, 803, 824];
/** Protocols of cooked headers that mean a frame of IEEE 802.3, which has its length there. */
const LENGTH_PROTOCOLS = [1, 4];

/** A frame, or why there is none. */
type Framed = Buffer | string;

const withHeader = (type: number, payload: Buffer): Buffer => {
  const header = Buffer.alloc(ETHERNET_HEADER_BYTES);
  MADE_UP_ADDRESSES.copy(header);
  header.writeUInt16BE(type, MADE_UP_ADDRESSES.length);
  return Buffer.concat([header, payload]);
};

const ethernet = (bytes: Buffer): Framed =>
  bytes.length < ETHERNET_HEADER_BYTES ? 'shorter than an Ethernet header' : bytes;

const rawIp = (bytes: Buffer): Framed => {
  const version = (bytes[0] ?? 0) >> 4;
  if (version === 4) return withHeader(ETHERTYPE.ipv4, bytes);
  if (version === 6) return withHeader(ETHERTYPE.ipv6, bytes);
  return 'raw IP of neither version 4 nor 6';
};

/** The address family is in the byte order of the machine that captured, which need not be that of the file. */
const loopback = (bytes: Buffer): Framed => {
  if (bytes.length < 4) return 'shorter than a loopback header';
  const isIp = IP_FAMILIES.includes(bytes.readUInt32BE(0)) || IP_FAMILIES.includes(bytes.readUInt32LE(0));
  return isIp ? rawIp(bytes.subarray(4)) : 'loopback packet that is not IP';
};

type CookedLayout = {readonly headerBytes: number; readonly deviceAt: number; readonly protocolAt: number};

const cooked =
  ({headerBytes, deviceAt, protocolAt}: CookedLayout) =>
  (bytes: Buffer): Framed => {
    if (bytes.length < headerBytes) return 'shorter than a Linux cooked header';
    const [protocol, payload] = [bytes.readUInt16BE(protocolAt), bytes.subarray(headerBytes)];
    if (NO_ETHERTYPE_DEVICES.includes(bytes.readUInt16BE(deviceAt))) return 'Linux cooked packet without an EtherType';
    if (protocol >= ETHERTYPE_MIN) return withHeader(protocol, payload);
    return LENGTH_PROTOCOLS.includes(protocol) && payload.length <= LENGTH_MAX
      ? withHeader(payload.length, payload)
      : 'Linux cooked packet without an EtherType';
  };

const FRAMERS: Readonly<Record<number, (bytes: Buffer) => Framed>> = {
  0: loopback,
  1: ethernet,
  12: rawIp,
  14: rawIp,
  101: rawIp,
  108: loopback,
  113: cooked({headerBytes: 16, deviceAt: 2, protocolAt: 14}),
  228: rawIp,
  229: rawIp,
  276: cooked({headerBytes: 20, deviceAt: 8, protocolAt: 0}),
};

/** Those that people meet, for the message. */
const OTHER_LINK_TYPES: Readonly<Record<number, string>> = {
  9: 'PPP',
  50: 'PPP in HDLC framing',
  51: 'PPPoE',
  104: 'Cisco HDLC',
  105: 'IEEE 802.11',
  127: 'IEEE 802.11 with radiotap',
};

/** The packet as an Ethernet frame, or why it cannot be one. */
export const toEthernet = (linkType: number, bytes: Buffer): Framed => {
  const frame = FRAMERS[linkType];
  if (frame !== undefined) return frame(bytes);
  const name = OTHER_LINK_TYPES[linkType];
  return `link type ${linkType}${name === undefined ? '' : ` (${name})`}`;
};
