// SPDX-License-Identifier: Apache-2.0
/**
 * Threat and traffic records as they are stored, streamed and exported. Every number is a string. The fields of Cloud IDS logs have
 * their names; those marked ours are left out of log entries. Ref: contracts of Cloud IDS logs.
 */
import type {MitreReference} from './mitre.ts';

/** Lowest to highest. Ref: requirements I-031. */
export const SEVERITIES = ['INFORMATIONAL', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const DIRECTIONS = ['client-to-server', 'server-to-client'] as const;

/** What somebody wrote about a threat. */
export type ThreatComment = {
  /** RFC 3339 UTC. */
  readonly time: string;
  /** The name of the user that was acted as. */
  readonly user: string;
  /** Who acted as that user, by impersonation. */
  readonly requestor?: string | undefined;
  readonly text: string;
};

/** What people decided about a threat; ours. Absent: nobody did, or it was taken back. */
export type ThreatTriage = {
  readonly acknowledged?: true | undefined;
  readonly acknowledged_by?: string | undefined;
  /** Who acted as that user, by impersonation. */
  readonly acknowledge_requestor?: string | undefined;
  readonly acknowledge_time?: string | undefined;
  readonly escalated?: true | undefined;
  readonly escalated_by?: string | undefined;
  readonly escalate_requestor?: string | undefined;
  readonly escalate_time?: string | undefined;
  /** Oldest first. */
  readonly comments?: readonly ThreatComment[] | undefined;
};

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
  /** Ours: when the packet of the first alert came. RFC 3339 UTC, microseconds. */
  readonly event_time: string;
  /** Ours: of the rule that matched, as the next two. */
  readonly rule_revision: string;
  /** Suricata's priority, 1 to 255, 1 is the worst; `alert_severity` is what the table of severities makes of it. */
  readonly rule_priority: string;
  /** Ours: absent when the rule names none, as the next two. */
  readonly mitre_tactics?: readonly MitreReference[] | undefined;
  readonly mitre_techniques?: readonly MitreReference[] | undefined;
  /** URLs where the system of the reference has one. */
  readonly references?: readonly string[] | undefined;
  /** Ours. Ref: Community ID Flow Hashing, version 1. */
  readonly community_id?: string | undefined;
} & ThreatTriage;

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
  /** Ours: when the flow began. RFC 3339 UTC, microseconds. */
  readonly event_time: string;
  /** Ours: the record is of 1 of so many flows, chosen by chance; absent: all flows were recorded. */
  readonly sample_rate?: string | undefined;
  /** Ours. Ref: Community ID Flow Hashing, version 1. */
  readonly community_id?: string | undefined;
};
