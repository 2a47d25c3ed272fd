// SPDX-License-Identifier: Apache-2.0
/**
 * Events of a controller about an object. Equal ones are counted in one Event; the tenth different message of a reason within
 * ten minutes is combined with the next ones; an object gets 25 at once, then one in five minutes.
 * What was counted is forgotten with a restart. Ref: client-go v0.36 tools/record/{event,events_cache}.go.
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
  /** Resolves when nothing is being written. */
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
type Observed = {readonly name: string; readonly count: number; readonly firstTimestamp: string};

class Recorder implements EventRecorder {
  readonly #host: ControllerHost;
  readonly #options: RecorderOptions;
  /** Undefined: this server has no Events. */
  readonly #kind: KindDefinition | undefined;
  readonly #groups = new Recent<{readonly messages: Set<string>; lastMs: number}>();
  readonly #observed = new Recent<Observed>();
  readonly #budgets = new Recent<{tokens: number; atMs: number}>();
  #writing: Promise<void> = Promise.resolve();

  constructor(host: ControllerHost, options: RecorderOptions) {
    this.#host = host;
    this.#options = options;
    this.#kind = host.kinds.find(({group, resource}) => group === '' && resource === 'events');
  }

  record(event: RecordedEvent): void {
    if (this.#kind === undefined) return;
    const {namespace, name} = event.about;
    const {message, key} = this.#combine(event);
    const observed = this.#observe(event.about, key);
    if (!this.#isAffordable(event)) return;
    const context = this.#host.contextFor(this.#kind, namespace);
    this.#writing = this.#writing
      .then(() => this.#write(context, observed, {...event, message}))
      .catch((error: unknown) => {
        this.#host.log.warn({err: error, namespace, name, reason: event.reason}, 'event refused, dropped');
      });
  }

  async stop(): Promise<void> {
    await this.#writing;
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
