// SPDX-License-Identifier: Apache-2.0
/**
 * Events of a controller about an object. Equal ones are counted in one Event; the tenth different message of a reason within
 * ten minutes is combined with the next ones; an object gets 25 at once, then one in five minutes.
 * What was counted is forgotten with a restart. What comes while 1,000 wait is dropped and not counted, and logged once it is over.
 * Ref: client-go v0.36 tools/record/{event,events_cache}.go.
 */
import {
  type ControllerHost,
  createObject,
  type KindDefinition,
  type KubeObject,
  type RequestContext,
  toKubeTime,
  trackFields,
  updateObject,
} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';

const REMEMBERED_MAX = 4_096;
const COMBINED_FROM = 10;
const COMBINED_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
/** Waiting to be written. Ref: event.go maxQueuedEvents. */
const QUEUED_MAX = 1_000;
/** A stop waits so long for those that wait. */
const STOP_MS = 5_000;

export type RecorderOptions = {
  readonly component: string;
  /** The name in managedFields. */
  readonly manager: string;
};
export type RecordedEvent = {
  readonly about: Reference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};
export type EventRecorder = {
  /** Writes an Event in the background. One that is refused is logged and dropped. */
  record(event: RecordedEvent): void;
  /** Resolves when all is written, or after a while without it: what still waits then is dropped. Nothing is recorded any longer. */
  stop(): Promise<void>;
};

export const eventRecorder = (host: ControllerHost, options: RecorderOptions): EventRecorder =>
  new Recorder(host, options);

type Reference = {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly apiVersion: string;
  readonly resourceVersion?: string | undefined;
};
type Queued = {readonly observed: Observed; readonly event: RecordedEvent};
type Observed = {readonly name: string; readonly count: number; readonly firstTimestamp: string};

class Recorder implements EventRecorder {
  readonly #host: ControllerHost;
  readonly #options: RecorderOptions;
  /** Undefined: this server has no Events. */
  readonly #kind: KindDefinition | undefined;
  readonly #groups = new Recent<{readonly messages: Set<string>; lastMs: number}>();
  readonly #observed = new Recent<Observed>();
  readonly #budgets = new Recent<{tokens: number; atMs: number}>();
  readonly #queue: Queued[] = [];
  /** Undefined: nothing waits. */
  #writing: Promise<void> | undefined;
  /** Since the queue was empty. */
  #dropped = 0;
  #stopped = false;

  constructor(host: ControllerHost, options: RecorderOptions) {
    this.#host = host;
    this.#options = options;
    this.#kind = host.kinds.find(({group, resource}) => group === '' && resource === 'events');
  }

  record(event: RecordedEvent): void {
    if (this.#kind === undefined || this.#stopped) return;
    if (this.#queue.length >= QUEUED_MAX) {
      this.#dropped++;
      return;
    }
    const {message, key} = this.#combine(event);
    const observed = this.#observe(event.about, key);
    if (!this.#isAffordable(event)) return;
    this.#queue.push({observed, event: {...event, message}});
    this.#writing ??= this.#writeAll(this.#kind);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    const writing = this.#writing;
    if (writing === undefined) return;
    await new Promise<void>(resolve => {
      const limit = this.#host.services.timers.after(STOP_MS, resolve);
      void writing.then(() => {
        limit.cancel();
        resolve();
      });
    });
    this.#dropped += this.#queue.splice(0).length;
    this.#reportDropped();
  }

  async #writeAll(kind: KindDefinition): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const {namespace, name} = next.event.about;
      try {
        await this.#write(this.#host.contextFor(kind, namespace), next.observed, next.event);
      } catch (error) {
        this.#host.log.warn({err: error, namespace, name, reason: next.event.reason}, 'event refused, dropped');
      }
    }
    this.#writing = undefined;
    this.#reportDropped();
  }

  #reportDropped(): void {
    if (this.#dropped === 0) return;
    const {component} = this.#options;
    this.#host.log.warn({component, dropped: this.#dropped}, 'events dropped, too many waited');
    this.#dropped = 0;
  }

  #combine({about, type, reason, message}: RecordedEvent): {message: string; key: string} {
    const nowMs = this.#host.services.clock.now();
    const key = [about.kind, about.namespace, about.name, about.uid, type, reason].join('\n');
    const known = this.#groups.get(key);
    const group =
      known === undefined || nowMs - known.lastMs > COMBINED_MS ? {messages: new Set<string>(), lastMs: 0} : known;
    group.messages.add(message);
    group.lastMs = nowMs;
    this.#groups.set(key, group);
    if (group.messages.size < COMBINED_FROM) return {message, key: `${key}\n${message}`};
    for (const oldest of group.messages) {
      group.messages.delete(oldest);
      break;
    }
    return {message: `(combined from similar events): ${message}`, key};
  }

  #observe({name}: Reference, key: string): Observed {
    const {clock, random} = this.#host.services;
    const known = this.#observed.get(key);
    const nanos = BigInt(clock.now()) * 1_000_000n + BigInt(Math.floor(random.next() * 1_000_000));
    const made = `${name}.${nanos.toString(16)}`;
    const observed =
      known === undefined
        ? {
            name: nameIsDnsSubdomain(made, false).length === 0 ? made : random.uuid(),
            count: 1,
            firstTimestamp: toKubeTime(clock.now()),
          }
        : {...known, count: known.count + 1};
    this.#observed.set(key, observed);
    return observed;
  }

  /** A bucket for each object and type. */
  #isAffordable({about: {kind, namespace, name, uid}, type}: RecordedEvent): boolean {
    const key = [kind, namespace, name, uid, type].join('\n');
    const nowMs = this.#host.services.clock.now();
    const {tokens, atMs} = this.#budgets.get(key) ?? {tokens: BURST, atMs: nowMs};
    const filled = Math.min(BURST, tokens + Math.max(0, nowMs - atMs) / REFILL_MS);
    const isAffordable = filled >= 1;
    this.#budgets.set(key, {tokens: isAffordable ? filled - 1 : filled, atMs: nowMs});
    return isAffordable;
  }

  async #write(base: RequestContext, observed: Observed, {about, type, reason, message}: RecordedEvent): Promise<void> {
    const {manager, component} = this.#options;
    const {name, count, firstTimestamp} = observed;
    const lastTimestamp = toKubeTime(this.#host.services.clock.now());
    if (count > 1) {
      const context = {...base, info: {...base.info, name, verb: 'patch'}};
      const change = (current: KubeObject): KubeObject => {
        const draft = {...current, metadata: {...current.metadata}, count, lastTimestamp, message};
        return trackFields(context, manager, current, draft, undefined);
      };
      if ((await updateObject(context, {dryRun: false, change})) !== undefined) return;
    }
    const event: KubeObject = {
      metadata: {name, namespace: about.namespace},
      involvedObject: about,
      reason,
      message,
      source: {component},
      firstTimestamp,
      lastTimestamp,
      count,
      type,
      reportingComponent: component,
    };
    await createObject(base, trackFields(base, manager, undefined, event, undefined), {dryRun: false});
  }
}

/** The values that were used last. */
class Recent<T> {
  readonly #values = new Map<string, T>();

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > REMEMBERED_MAX && oldest !== undefined) this.#values.delete(oldest);
  }
}
