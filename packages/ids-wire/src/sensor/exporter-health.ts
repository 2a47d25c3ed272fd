// SPDX-License-Identifier: Apache-2.0

/** RETRYING: the last attempt failed. BEHIND: records wait for more than a minute. */
export const EXPORTER_STATES = ['OK', 'RETRYING', 'BEHIND'] as const;
export type ExporterState = (typeof EXPORTER_STATES)[number];

/** Counts begin with the server. */
export type ExporterCounts = {
  /** Records that the receiver has, repeats and updates among them. */
  readonly sent: number;
  /** Attempts that failed. */
  readonly retried: number;
  /** Records that the receiver refused for good. */
  readonly refused: number;
  /** Records that retention dropped before they were sent; of its kinds, whatever their endpoint. */
  readonly missed: number;
  /** Records that were sent without their longest fields, because the receiver takes no longer ones. */
  readonly truncated: number;
};

export type ExporterHealth = ExporterCounts & {
  readonly name: string;
  /** The address without what may be secret. */
  readonly receiver: string;
  readonly state: ExporterState;
  /** Records of its kinds, of all endpoints and before its filter, that it has not looked at. */
  readonly lagRecords: number;
  readonly lagSeconds: number;
  /** Of the last attempt; '': it did not fail. */
  readonly lastError: string;
};
