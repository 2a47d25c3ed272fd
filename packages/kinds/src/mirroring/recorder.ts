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

export type EventSource = {
  readonly component: string;
  /** The name in managedFields. */
  readonly manager: string;
};
export type Warning = {readonly reason: string; readonly message: string};

type Reference = {
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  apiVersion: string;
  resourceVersion: string;
};
type Observed = {readonly name: string; readonly count: number; readonly firstTimestamp: string};

export class EventRecorder {
  readonly #host: ControllerHost;
  readonly #source: EventSource;
  /** Undefined: this server has no Events. */
  readonly #kind: KindDefinition | undefined;
  readonly #groups = new Recent<{readonly messages: Set<string>; lastMs: number}>();
  readonly #observed = new Recent<Observed>();
  readonly #budgets = new Recent<{tokens: number; atMs: number}>();
  #writing: Promise<void> = Promise.resolve();

  constructor(host: ControllerHost, source: EventSource) {
    this.#host = host;
    this.#source = source;
    this.#kind = host.kinds.find(({group, resource}) => group === '' && resource === 'events');
  }

  /** Writes an Event of type Warning in the background. One that is refused is logged and dropped. */
  record({apiVersion = '', kind = '', metadata}: KubeObject, warning: Warning): void {
    if (this.#kind === undefined) return;
    const {namespace = '', name = '', uid = '', resourceVersion = ''} = metadata;
    const about: Reference = {kind, namespace, name, uid, apiVersion, resourceVersion};
    const {message, key} = this.#combine(about, warning);
    const observed = this.#observe(about, key);
    if (!this.#isAffordable(about)) return;
    const context = this.#host.contextFor(this.#kind, namespace);
    this.#writing = this.#writing
      .then(() => this.#write(context, about, observed, {...warning, message}))
      .catch((error: unknown) => {
        this.#host.log.warn({err: error, namespace, name, reason: warning.reason}, 'event refused, dropped');
      });
  }

  /** Resolves when nothing is being written. */
  async stop(): Promise<void> {
    await this.#writing;
  }

  #combine(about: Reference, {reason, message}: Warning): {message: string; key: string} {
    const nowMs = this.#host.services.clock.now();
    const key = [about.kind, about.namespace, about.name, about.uid, reason].join('\n');
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

  /** A bucket for each object. */
  #isAffordable({kind, namespace, name, uid}: Reference): boolean {
    const key = [kind, namespace, name, uid].join('\n');
    const nowMs = this.#host.services.clock.now();
    const {tokens, atMs} = this.#budgets.get(key) ?? {tokens: BURST, atMs: nowMs};
    const filled = Math.min(BURST, tokens + Math.max(0, nowMs - atMs) / REFILL_MS);
    const isAffordable = filled >= 1;
    this.#budgets.set(key, {tokens: isAffordable ? filled - 1 : filled, atMs: nowMs});
    return isAffordable;
  }

  async #write(base: RequestContext, about: Reference, observed: Observed, {reason, message}: Warning): Promise<void> {
    const {manager, component} = this.#source;
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
      type: 'Warning',
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
