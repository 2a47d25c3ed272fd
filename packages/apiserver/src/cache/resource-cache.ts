// SPDX-License-Identifier: Apache-2.0
/** Everything the server keeps of one resource: its objects, its recent history, and who watches. Fed by WatchCache only. */
import type {Revision} from '@palisade/store';
import type {CachedObject} from './cached-object.ts';
import {type CacheEvent, EventLog, type EventType} from './event-log.ts';
import {SortedObjects} from './sorted-objects.ts';
import {FanOut} from './watch/fan-out.ts';
import type {Scheduler} from './watch/scheduler.ts';

export type ResourceCacheOptions = {
  readonly from: Revision;
  readonly historyEventsMax: number;
  readonly historyBytesMax: number;
  readonly scheduler: Scheduler;
};

export type CacheListener = (event: CacheEvent) => void;

export class ResourceCache {
  readonly objects = new SortedObjects();
  readonly log: EventLog;
  readonly fanOut: FanOut;
  readonly #listeners = new Set<CacheListener>();

  constructor(options: ResourceCacheOptions) {
    this.log = new EventLog(options.from, {countMax: options.historyEventsMax, bytesMax: options.historyBytesMax});
    this.fanOut = new FanOut(this.log, options.scheduler);
  }

  get(namespace: string, name: string): CachedObject | undefined {
    return this.objects.get(namespace, name);
  }

  /** Calls for every later change, in order, in the turn it becomes visible. Listeners must not throw and must not write in place. */
  onEvent(listener: CacheListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** During the first load: no event. */
  load(object: CachedObject): void {
    this.objects.set(object);
  }

  put(object: CachedObject): void {
    const previous = this.objects.get(object.namespace, object.name);
    this.objects.set(object);
    this.#record(previous === undefined ? 'ADDED' : 'MODIFIED', object, previous);
  }

  delete(namespace: string, name: string, revision: Revision): void {
    const previous = this.objects.get(namespace, name);
    if (previous === undefined) return;
    this.objects.delete(namespace, name);
    this.#record('DELETED', previous.at(revision), previous);
  }

  #record(type: EventType, object: CachedObject, previous: CachedObject | undefined): void {
    const event: CacheEvent = {type, revision: object.revision, object, previous, frames: undefined};
    this.log.append(event);
    for (const listener of this.#listeners) listener(event);
    this.fanOut.wake();
  }
}
