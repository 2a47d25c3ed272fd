// SPDX-License-Identifier: Apache-2.0
/** An exporter whose receiver a test plays: it takes what it is given, or fails as the test says. */
import type {Exporter, ExportItem} from '../export/exporter.ts';

/** Called for each batch, before its items count as received; throws to fail. */
export type Receiver = (items: readonly ExportItem[], signal: AbortSignal) => Promise<void> | void;

export class FakeExporter implements Exporter {
  readonly needsEvent: boolean;
  /** In the order in which they came. */
  readonly received: ExportItem[] = [];
  /** Sizes of all batches that were tried. */
  readonly batches: number[] = [];
  isClosed = false;
  receiver: Receiver;

  constructor(receiver: Receiver = () => undefined, needsEvent = false) {
    this.receiver = receiver;
    this.needsEvent = needsEvent;
  }

  async send(items: readonly ExportItem[], signal: AbortSignal): ReturnType<Exporter['send']> {
    this.batches.push(items.length);
    await this.receiver(items, signal);
    this.received.push(...items);
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}
