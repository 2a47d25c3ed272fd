// SPDX-License-Identifier: Apache-2.0
/**
 * Events of our own controllers: what happened to an object, once for the same object, type, reason and message, with a count.
 * Events that repeat while one is being written share the next write. What is refused (its namespace is going) is dropped: nothing
 * depends on an event. Ref: kubernetes v1.36 client-go/tools/record/{event,events_cache}.go.
 */
import {
  type ControllerHost,
  createObject,
  type KubeObject,
  type RequestContext,
  StatusError,
  toKubeTime,
  trackFields,
  updateObject,
  WorkQueue,
} from '@palisade/apiserver';
import {nameIsDnsSubdomain} from '@palisade/kube-wire';
import {eventsKind} from './kind.ts';
import type {CoreEvent, ObjectReference} from './types.ts';

/** As upstream's maxLruCacheEntries: one that was forgotten begins a new event. */
const KNOWN_MAX = 4_096;
const CONCURRENCY = 4;
const NANOSECONDS_PER_MS = 1_000_000n;

export type RecordedEvent = {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

export type EventRecorder = {
  /** Returns at once. */
  record(event: RecordedEvent): void;
  /** Resolves when nothing is being written any longer; what waits is dropped. */
  stop(): Promise<void>;
};

export type RecorderOptions = {
  /** Shown as the source: `endpoint-slice-mirroring-controller`. */
  readonly component: string;
  /** Who owns the fields. */
  readonly manager: string;
};

type Occurrence = {readonly event: RecordedEvent; times: number; readonly firstMs: number; lastMs: number};

export const eventRecorder = (host: ControllerHost, options: RecorderOptions): EventRecorder => {
  const {timers, clock} = host.services;
  /** Names of events by what they say, the longest unused first. */
  const known = new Map<string, string>();
  const waiting = new Map<string, Occurrence>();
  const write = async ({key}: {readonly key: string}): Promise<void> => {
    const occurrence = waiting.get(key);
    if (occurrence === undefined) return;
    const so = {...occurrence}; // it may happen again meanwhile
    try {
      const name = known.get(key);
      const isCounted = name !== undefined && (await countOn(host, options, name, so));
      if (!isCounted) remember(known, key, await createEvent(host, options, so));
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      host.log.debug({err: error, reason: so.event.reason}, 'event refused');
    }
    occurrence.times -= so.times;
    if (occurrence.times === 0) waiting.delete(key);
  };
  const queue = new WorkQueue({timers, log: host.log, name: 'event recording', concurrency: CONCURRENCY, work: write});
  return {
    record: event => {
      const key = keyOf(event);
      const nowMs = clock.now();
      const occurrence = waiting.get(key) ?? {event, times: 0, firstMs: nowMs, lastMs: nowMs};
      occurrence.times++;
      occurrence.lastMs = nowMs;
      waiting.set(key, occurrence);
      queue.add({key});
    },
    stop: () => queue.stop(),
  };
};

const keyOf = ({about, type, reason, message}: RecordedEvent): string => {
  const {kind, namespace, name, uid, apiVersion, fieldPath} = about;
  return JSON.stringify([kind, namespace, name, uid, apiVersion, fieldPath, type, reason, message]);
};

const remember = (known: Map<string, string>, key: string, name: string): void => {
  known.delete(key);
  known.set(key, name);
  const [oldest] = known.keys();
  if (known.size > KNOWN_MAX && oldest !== undefined) known.delete(oldest);
};

const contextOf = (
  host: ControllerHost,
  {about}: RecordedEvent,
  name: string,
  verb: 'create' | 'patch',
): RequestContext => {
  const context = host.contextFor(eventsKind, about.namespace || 'default');
  return {...context, info: {...context.info, name, verb}};
};

/** False: the event is gone. Throws StatusError. */
const countOn = async (
  host: ControllerHost,
  {manager}: RecorderOptions,
  name: string,
  {event, times, lastMs}: Occurrence,
): Promise<boolean> => {
  const context = contextOf(host, event, name, 'patch');
  const change = (current: KubeObject): KubeObject => {
    const {count = 0} = current as CoreEvent;
    const draft = {
      ...current,
      metadata: {...current.metadata},
      count: count + times,
      lastTimestamp: toKubeTime(lastMs),
    };
    return trackFields(context, manager, current, draft, undefined);
  };
  return (await updateObject(context, {dryRun: false, change})) !== undefined;
};

/** Returns its name. Throws StatusError. */
const createEvent = async (
  host: ControllerHost,
  {component, manager}: RecorderOptions,
  {event, times, firstMs, lastMs}: Occurrence,
): Promise<string> => {
  const {about, type, reason, message} = event;
  const name = nameOf(host, about.name ?? '', firstMs);
  const context = contextOf(host, event, name, 'create');
  const draft: CoreEvent = {
    metadata: {name, namespace: context.info.namespace},
    involvedObject: about,
    reason,
    message,
    source: {component},
    firstTimestamp: toKubeTime(firstMs),
    lastTimestamp: toKubeTime(lastMs),
    count: times,
    type,
    reportingComponent: component,
  };
  await createObject(context, trackFields(context, manager, undefined, draft, undefined), {dryRun: false});
  return name;
};

/** The object's name and the time in nanoseconds, of which the last digits are chance: a clock here has milliseconds. */
const nameOf = ({services: {random}}: ControllerHost, about: string, nowMs: number): string => {
  const fraction = BigInt(Math.floor(random.next() * Number(NANOSECONDS_PER_MS)));
  const name = `${about}.${(BigInt(nowMs) * NANOSECONDS_PER_MS + fraction).toString(16)}`;
  return nameIsDnsSubdomain(name, false).length === 0 ? name : random.uuid();
};
