// SPDX-License-Identifier: Apache-2.0
/**
 * The port of exporters: one file each (syslog.ts, webhook.ts, …), opened by the entry of their URL scheme in registry.ts. What is
 * common to all (order, cursor, retries, lag, health) is in run-exporter.ts: an exporter only sends.
 */
import type {AnyRecord, RecordKind} from '@palisade/ids-wire';
import type {Clock, Log, Random, Timers} from '../system.ts';
import type {ExportSettings} from './settings.ts';

export {type ExportShape, SHAPES} from './settings.ts';

export type ExportItem = {
  readonly kind: RecordKind;
  /** Full resource name of the endpoint. */
  readonly endpoint: string;
  /** Of the record; with kind and endpoint the id by which a receiver drops what it has already. */
  readonly id: string;
  readonly record: AnyRecord;
  /** The event as Suricata wrote it: of threats, where it was kept and the exporter needs it (`needsEvent`). */
  readonly event: string | undefined;
};

/** What a receiver drops repeats by; the same however often an item is sent. */
export const dedupId = ({kind, endpoint, id}: ExportItem): string => `${endpoint}/${kind}/${id}`;

/** Items that a receiver rejected for good, while it has the others, without a word on which (partial success of OTLP). */
export type Rejected = {readonly count: number; readonly reason: string};

export interface Exporter {
  /** Whether items come with their events, which are read one by one. */
  readonly needsEvent: boolean;
  /** Of an exporter with a bound for the size of a record: how many were sent without all their fields. */
  readonly truncated?: (() => number) | undefined;
  /**
   * Resolves when the receiver has all of them (for UDP: when they are sent). Rejects when it is not sure; the same items are then sent
   * again later, so a receiver may get some of them twice. Throws ExportError `refused` for what will never be taken; anything else
   * that is thrown means: try again. Never called again before it has ended. When `signal` aborts, it rejects soon.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most exporters return nothing
  send(items: readonly ExportItem[], signal: AbortSignal): Promise<Rejected | void>;
  /** Called once, after the last `send` has ended. */
  close(): Promise<void>;
}

/** What an exporter is opened with; the files that the settings name are read and valid. */
export type ExporterOptions = {
  readonly settings: ExportSettings;
  readonly files: ExportFiles;
  /** This server, for fields that name the observer of an event. */
  readonly observer: Observer;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** Names the exporter in its fields. */
  readonly log: Log;
};

export type Observer = {readonly hostname: string; readonly version: string; readonly pid: number};

/** Contents; secrets, so never logged. */
export type ExportFiles = {
  readonly secret?: string | undefined;
  /** PEM. */
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Those of the settings and of headersFile. */
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * `refused`: the receiver looked at the items and will not take them however often they come; the runner finds the one by sending fewer.
 * `unwritable`: the exporter cannot write an item in its form; as `refused`, and nothing was sent of it.
 * `unavailable`: everything else, also a wrong address or credential, which a change of the receiver or of the settings mends.
 */
export type ExportFault = 'refused' | 'unwritable' | 'unavailable';

type ExportErrorOptions = ErrorOptions & {readonly retryAfterMs?: number; readonly words?: string};

/** `message` says what failed, without secrets and without what is in records: readers of one project see it. */
export class ExportError extends Error {
  override readonly name = 'ExportError';
  readonly code: ExportFault;
  /** What the receiver says about it, one bounded line: for the log of the server alone, it may quote records. */
  readonly words: string | undefined;
  /** The receiver asks not to be tried before. */
  readonly retryAfterMs: number | undefined;
  constructor(code: ExportFault, message: string, options: ExportErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.words = options.words;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** What `write` makes of records. Throws ExportError `unwritable` for what it throws: no receiver can mend that. */
export const written = <T>(write: () => T): T => {
  try {
    return write();
  } catch (error) {
    // The message of the error may quote a record.
    const name = error instanceof Error ? error.name : typeof error;
    throw new ExportError('unwritable', `cannot be written in the form of this exporter (${name})`, {cause: error});
  }
};
