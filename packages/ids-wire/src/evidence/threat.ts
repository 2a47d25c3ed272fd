// SPDX-License-Identifier: Apache-2.0
/** The answer to `GET /v1/{endpoint}/threats/{id}`: a record with what is kept of its first alert, and its rule. Ours. */
import type {MitreReference} from '../mitre.ts';
import type {ThreatRecord} from '../records.ts';
import type {RuleState} from '../rules/messages.ts';

/** `TIME-FILE-OFFSET`: microseconds since the epoch and the place of the record's event, in hexadecimal. */
export const RECORD_ID = /^[0-9a-f]{13,}-[0-9A-Za-z.]+-[0-9a-f]{8,}$/;

/** Microseconds since the epoch; undefined: not the id of a record. */
export const timeOfRecordId = (id: string): number | undefined =>
  RECORD_ID.test(id) ? Number.parseInt(id.slice(0, id.indexOf('-')), 16) : undefined;

type Fields = Readonly<Record<string, unknown>>;

/** Why there is no evidence, and what to do. */
export type NoEvidence = {
  /** No evidence is kept. */
  readonly absent?: string;
  /** The caller may not see it. */
  readonly withheld?: string;
};

/** Of a record's first alert. The fields of protocols are those of Suricata's EVE. */
export type ThreatEvidence = {
  /** The packet that Suricata raised the alert at; of a session often the acknowledgement of the data that matched. */
  readonly packet?: {
    /** Base64. */
    readonly data: string;
    readonly bytes: number;
    /** Of a capture file; 1: Ethernet. */
    readonly link_type: number;
  };
  /** What the rule looked at: data of the session, or of the packet. */
  readonly payload?: {
    /** Base64. */
    readonly data: string;
    readonly bytes: number;
    /** Everything but printable ASCII is a dot. */
    readonly printable: string;
    readonly is_stream: boolean;
  };
  readonly http?: Fields;
  readonly dns?: Fields;
  /** With `sni`, `ja3`, and `ja4`, which is computed where Suricata does not write it. */
  readonly tls?: Fields;
  readonly smtp?: Fields;
  readonly email?: Fields;
  readonly files?: readonly Fields[];
  readonly flow?: Fields;
  readonly community_id?: string;
  /** Parts of the event that were too long to be kept. */
  readonly left_out?: readonly string[];
  /** The event as Suricata wrote it. */
  readonly event?: Fields;
} & NoEvidence;

/** The rule as it is now. */
export type ThreatRule =
  | {
      readonly rule_set: string;
      readonly state: RuleState;
      readonly text: string;
      /** Decimal digits. */
      readonly revision: string;
      /** Set when it is not the revision that matched. */
      readonly changed?: string;
      readonly references: readonly string[];
      readonly cves: readonly string[];
      readonly mitre_tactics: readonly MitreReference[];
      readonly mitre_techniques: readonly MitreReference[];
    }
  | {readonly absent: string};

export type ThreatMessage = {readonly id: string} & ThreatRecord & {
    readonly evidence: ThreatEvidence;
    readonly rule: ThreatRule;
  };

/**
 * Whose packets a capture file of a threat has: of its flow, or of its alert alone; with `payload` one is made up around the payload, and
 * `flow-cut` are the first of a flow that has more than are given.
 */
export const PCAP_SOURCES = ['flow', 'flow-cut', 'packet', 'payload'] as const;
export type PcapSource = (typeof PCAP_SOURCES)[number];
export const PCAP_TYPE = 'application/vnd.tcpdump.pcap';
/** Header of the answer with the file. */
export const PCAP_SOURCE_HEADER = 'x-palisade-pcap';
