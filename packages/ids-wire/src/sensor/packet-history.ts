// SPDX-License-Identifier: Apache-2.0
/** Packets of an endpoint over time, as sensors keep them and as `GET /v1/{endpoint}/figures` shows them. */

type Counts = {
  /** Packets that arrived, with the dropped ones. */
  readonly received: number;
  readonly bytes: number;
  readonly dropped: number;
};
type Steps = {
  readonly stepMs: number;
  /** Oldest first; `startMs`: milliseconds since the epoch, a multiple of the step. A step without a running sensor is absent. */
  readonly rows: readonly (Counts & {readonly startMs: number})[];
};
/** What sensors keep: the last hour, and the last week. */
export const HISTORY_STEPS = {
  short: {stepMs: 10_000, rowsMax: 360},
  long: {stepMs: 300_000, rowsMax: 2_016},
} as const;

/** `short`: of the last hour; `long`: of the last week, the last hour too. */
export type PacketHistory = {readonly short: Steps; readonly long: Steps};

/** RFC 3339. */
export type FigureSample = Counts & {readonly time: string};

export type EndpointFiguresMessage = {
  /** Full resource name. */
  readonly endpoint: string;
  /** Width of a sample, such as 10s, 5m, 1h. */
  readonly step: string;
  /** Oldest first. A step without a running sensor has none. */
  readonly samples: readonly FigureSample[];
};
