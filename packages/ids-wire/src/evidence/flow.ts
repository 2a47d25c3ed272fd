// SPDX-License-Identifier: Apache-2.0
/** Packets of flows with alerts, as control plane and sensors speak of them. */

/** What is kept of a threat besides its record: nothing; packet, payload and protocol fields; also the packets of its flow. */
export const EVIDENCE_KINDS = ['none', 'payload', 'pcap'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export type FlowEnd = {
  /** RFC 5952 text. */ readonly ip: string /** 0 where the protocol has none. */;
  readonly port: number;
};

/** Packets between two ends, in both directions. */
export type FlowQuery = {
  /** Full resource name. */
  readonly endpoint: string;
  /** Lower case, as in records. */
  readonly protocol: string;
  readonly source: FlowEnd;
  readonly destination: FlowEnd;
  readonly fromMicros: number;
  readonly untilMicros: number;
};

/** An Ethernet frame without the encapsulation of the mirror. */
export type FlowFrame = {readonly micros: number; readonly bytes: Uint8Array};

/** `isCut`: there are more than are given. */
export type FlowFrames = {readonly frames: readonly FlowFrame[]; readonly isCut: boolean};
