// SPDX-License-Identifier: Apache-2.0
/**
 * The port of exporters: one file each (syslog.ts, webhook.ts, …), opened from a URL. What is common to all (order, cursor, retries, lag, health) is in
 * run-exporter.ts: an exporter only sends.
 */
import type {AnyRecord, RecordKind} from '@palisade/ids-wire';

export type ExportItem = {
  readonly kind: RecordKind;
  /** Full resource name of the endpoint. */
  readonly endpoint: string;
  /** Of the record; with kind and endpoint the id by which a receiver drops what it has already. */
  readonly id: string;
  readonly record: AnyRecord;
  /** The event as Suricata wrote it, where it was kept. */
  readonly event: string | undefined;
};

/** `palisade`: the fields of the API; `ecs`: Elastic Common Schema. */
export const SHAPES = ['palisade', 'ecs'] as const;
export type ExportShape = (typeof SHAPES)[number];

/** What a receiver drops repeats by; the same however often an item is sent. */
export const dedupId = ({kind, endpoint, id}: ExportItem): string => `${endpoint}/${kind}/${id}`;

export interface Exporter {
  /**
   * Resolves when the receiver has all of them (for UDP: when they are sent). Rejects when it is not sure; the same items are then sent
   * again later, so a receiver may get some of them twice. Never called again before it has ended.
   */
  send(items: readonly ExportItem[], signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
