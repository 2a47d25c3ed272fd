// SPDX-License-Identifier: Apache-2.0
export type SyslogTransport = 'udp' | 'tcp' | 'tls';

/** RFC 5426 and common use for TCP, RFC 5425. */
export const DEFAULT_PORTS: Readonly<Record<SyslogTransport, number>> = {udp: 514, tcp: 514, tls: 6514};

/**
 * Bytes of a message. Least: what every receiver of RFC 5424 takes. UDP: what receivers should take at least (RFC 5426, section 3.2), and
 * what fits into a datagram; TCP, TLS: what rsyslog takes by default.
 */
export const BYTES_LEAST = 480;
export const BYTES_DEFAULT: Readonly<Record<SyslogTransport, number>> = {udp: 2_048, tcp: 8_192, tls: 8_192};
export const BYTES_MOST: Readonly<Record<SyslogTransport, number>> = {udp: 65_507, tcp: 1_048_576, tls: 1_048_576};
