// SPDX-License-Identifier: Apache-2.0
/** Threat and traffic records as they are stored, streamed and exported. Ref: contracts of Cloud IDS logs; every number is a string. */

/** Lowest to highest. Ref: requirements I-031. */
export const SEVERITIES = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DIRECTIONS = ['client-to-server', 'server-to-client'] as const;

/** One threat log (`ids.googleapis.com/threat`). `repeat_count` sums equal alerts of 5 s. Ref: requirements I-116, I-117. */
export type ThreatRecord = {
  /** `gid:sid`. */
  readonly threat_id: string;
  readonly name: string;
  readonly alert_severity: Severity;
  readonly type: string;
  readonly category: string;
  /** RFC 3339 UTC, seconds. */
  readonly alert_time: string;
  /** As given on the endpoint. */
  readonly network: string;
  /** RFC 5952 text, as is the destination's. */
  readonly source_ip_address: string;
  readonly destination_ip_address: string;
  readonly source_port: string;
  readonly destination_port: string;
  /** Lower case: tcp, udp, icmp, … */
  readonly ip_protocol: string;
  readonly application: string;
  readonly direction: (typeof DIRECTIONS)[number];
  readonly session_id: string;
  readonly repeat_count: string;
  readonly uri_or_filename: string;
  /** Absent when the rule names none. */
  readonly cves?: readonly string[] | undefined;
  readonly details: string;
  /** Full resource name of the IDS endpoint. */
  readonly endpoint: string;
};

/** One traffic log (`ids.googleapis.com/traffic`), a finished flow. */
export type TrafficRecord = {
  readonly start_time: string;
  /** Seconds. */
  readonly elapsed_time: string;
  readonly network: string;
  readonly source_ip_address: string;
  readonly destination_ip_address: string;
  readonly source_port: string;
  readonly destination_port: string;
  readonly ip_protocol: string;
  readonly application: string;
  readonly session_id: string;
  readonly repeat_count: string;
  readonly total_bytes: string;
  readonly total_packets: string;
  readonly endpoint: string;
};
