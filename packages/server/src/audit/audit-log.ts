// SPDX-License-Identifier: Apache-2.0
/**
 * The audit log of a server: events become lines, in the order in which they come, in one of upstream's modes.
 *
 *   batch            events wait in memory, which is bounded; a request waits for nothing. While the disk refuses writes they wait
 *                    longer; what finds no room is counted and logged.
 *   blocking         a request waits until its first event is in the file; one that cannot be written is counted and logged.
 *   blocking-strict  the same, and such a request fails: 500.
 *
 * Ref: kubernetes v1.36 apiserver/pkg/server/options/audit.go.
 */
import {
  type AuditEvent,
  type Auditor,
  type AuditPolicy,
  type AuditRule,
  auditRules,
  internalError,
  type Log,
  type Timers,
} from '@palisade/apiserver';
import type {AuditMode} from './audit-modes.ts';
import type {LineSink} from './rotating-file.ts';
import {hasSecretBodies} from './secret-bodies.ts';

/** Bounds of what waits in memory, and of one write. */
const AUDIT_LIMITS = {eventsMax: 10_000, bytesMax: 16 * 1024 * 1024, writeBytesMax: 1024 * 1024};

/** How long a disk that refused a write is left alone. */
const RETRY_MS = 1_000;

export type AuditLogParts = {
  readonly sink: LineSink;
  readonly mode: AuditMode;
  readonly policy: AuditPolicy;
  readonly clock: {now(): number};
  readonly random: {uuid(): string};
  readonly timers: Pick<Timers, 'after' | 'soon'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly limits?: Partial<typeof AUDIT_LIMITS>;
};

/** Since the start of the server. */
type AuditCounts = {
  /** All events, written or dropped. */
  events: number;
  /** Of these: dropped for want of room, or not written. */
  errors: number;
  /** Requests that failed because of it. */
  rejected: number;
};

type Waiting = {readonly line: string; readonly done?: (error?: unknown) => void};

export class AuditLog implements Auditor {
  readonly counts: AuditCounts = {events: 0, errors: 0, rejected: 0};
  readonly #parts: AuditLogParts;
  readonly #limits: typeof AUDIT_LIMITS;
  #rules: (attributes: Parameters<Auditor['ruleFor']>[0]) => AuditRule;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #writing: Promise<void> | undefined;
  #isPlanned = false;
  #isFailing = false;
  #droppedSince = 0;
  #isClosed = false;

  constructor(parts: AuditLogParts) {
    this.#parts = parts;
    this.#limits = {...AUDIT_LIMITS, ...parts.limits};
    this.#rules = auditRules(parts.policy);
  }

  get isStrict(): boolean {
    return this.#parts.mode === 'blocking-strict';
  }

  /** Whether the last write succeeded. */
  get isWritable(): boolean {
    return !this.#isFailing;
  }

  now(): number {
    return this.#parts.clock.now();
  }

  newId(): string {
    return this.#parts.random.uuid();
  }

  ruleFor(attributes: Parameters<Auditor['ruleFor']>[0]): AuditRule {
    return this.#rules(attributes);
  }

  hasSecretBodies(attributes: Parameters<Auditor['ruleFor']>[0]): boolean {
    return hasSecretBodies(attributes);
  }

  /** For requests from now on. */
  usePolicy(policy: AuditPolicy): void {
    this.#rules = auditRules(policy);
  }

  write(event: AuditEvent): Promise<void> | undefined {
    this.counts.events++;
    const line = `${JSON.stringify(event)}\n`;
    if (this.#parts.mode !== 'batch') return this.#writeNow(line, event.stage === 'RequestReceived');
    const isFull =
      this.#waiting.length >= this.#limits.eventsMax || this.#waitingChars + line.length > this.#limits.bytesMax;
    if (isFull) this.#drop();
    else this.#take({line});
    return undefined;
  }

  /** `isFirst`: the request has not begun, and can fail. */
  #writeNow(line: string, isFirst: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (error?: unknown): void => {
        if (error !== undefined) this.counts.errors++;
        if (error === undefined || !this.isStrict || !isFirst) resolve();
        else {
          this.counts.rejected++;
          reject(internalError('failed to store audit event'));
        }
      };
      this.#take({line, done});
    });
  }

  #take(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#waitingChars += waiting.line.length;
    if (!this.#isFailing || waiting.done !== undefined) this.#plan();
  }

  #drop(): void {
    this.counts.errors++;
    this.#droppedSince++;
    if (this.#droppedSince === 1)
      this.#parts.log.warn({waiting: this.#waiting.length}, 'audit log too slow, events are dropped');
  }

  /** Soon, so that what comes in one turn of the event loop is one write. */
  #plan(): void {
    if (this.#isPlanned || this.#writing !== undefined || this.#isClosed) return;
    this.#isPlanned = true;
    this.#parts.timers.soon(() => {
      this.#isPlanned = false;
      this.#start();
    });
  }

  #start(): void {
    if (this.#isClosed) return;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length === 0 || this.#isClosed) return;
      if (this.#isFailing && this.#parts.mode === 'batch') this.#parts.timers.after(RETRY_MS, () => this.#start());
      else this.#plan();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch();
      const lines = Buffer.from(batch.map(({line}) => line).join(''));
      try {
        await this.#parts.sink.append(lines);
        this.#succeeded();
        for (const {done} of batch) done?.();
      } catch (error) {
        this.#failed(error);
        if (this.#parts.mode === 'batch') return this.#putBack(batch);
        for (const {done} of batch) done?.(error);
      }
    }
  }

  #nextBatch(): Waiting[] {
    let chars = 0;
    let count = 0;
    for (const {line} of this.#waiting) {
      if (count > 0 && chars + line.length > this.#limits.writeBytesMax) break;
      chars += line.length;
      count++;
    }
    const batch = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#waitingChars -= chars;
    return batch;
  }

  #putBack(batch: readonly Waiting[]): void {
    this.#waiting = [...batch, ...this.#waiting];
    for (const {line} of batch) this.#waitingChars += line.length;
  }

  #succeeded(): void {
    if (this.#isFailing || this.#droppedSince > 0)
      this.#parts.log.info({dropped: this.#droppedSince}, 'audit log recovered, events are written');
    this.#isFailing = false;
    this.#droppedSince = 0;
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#parts.log.warn({err: error}, 'audit log cannot be written');
    this.#isFailing = true;
  }

  /** Writes what waits, as far as the disk takes it; what is left is counted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
    await this.#writeAll();
    if (this.#waiting.length > 0) {
      this.counts.errors += this.#waiting.length;
      this.#parts.log.warn({dropped: this.#waiting.length}, 'audit log cannot be written, events are lost');
    }
    this.#waiting = [];
    await this.#parts.sink.close();
  }
}
