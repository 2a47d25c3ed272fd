// SPDX-License-Identifier: Apache-2.0
/** VXLAN, RFC 7348: 8 bytes (flags, 24 reserved, VNI, 8 reserved), then the inner Ethernet frame. */

/** Ref: RFC 7348 section 8. */
export const VXLAN_PORT = 4789;
export const VXLAN_HEADER_BYTES = 8;
/** The I flag: the VNI is valid. Ref: RFC 7348 section 5. */
const FLAG_VNI_VALID = 0x08;
const ETHERNET_HEADER_BYTES = 14;

/** True when a frame follows the header. */
export const isVxlan = (datagram: Uint8Array): boolean =>
  datagram.length >= VXLAN_HEADER_BYTES + ETHERNET_HEADER_BYTES && ((datagram[0] ?? 0) & FLAG_VNI_VALID) !== 0;

/** Of a datagram that is VXLAN: its 24-bit VXLAN network identifier. */
export const vniOf = (datagram: Uint8Array): number =>
  ((datagram[4] ?? 0) << 16) | ((datagram[5] ?? 0) << 8) | (datagram[6] ?? 0);
