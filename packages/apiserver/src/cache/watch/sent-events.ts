// SPDX-License-Identifier: Apache-2.0
/** Events that watches have written, by resource, and their sizes, for metrics. */
import {Buckets} from '../../base/buckets.ts';

const KIB = 1024;
/** Ref: kubernetes v1.36 apiserver/pkg/endpoints/metrics/metrics.go WatchEventsSizes. */
export const EVENT_BYTES_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128].map(size => size * KIB);

/** A resource as its path names it. */
export type WatchedResource = {readonly group: string; readonly version: string; readonly resource: string};

export class SentEvents {
  readonly #byResource = new Map<string, {readonly of: WatchedResource; readonly sizes: Buckets}>();

  /** The sizes of the events of a resource, in bytes. Watches keep it, so there is no search for each event. */
  sizesOf({group, version, resource}: WatchedResource): Buckets {
    const key = `${group}/${version}/${resource}`;
    let known = this.#byResource.get(key);
    if (known === undefined) {
      known = {of: {group, version, resource}, sizes: new Buckets(EVENT_BYTES_BUCKETS)};
      this.#byResource.set(key, known);
    }
    return known.sizes;
  }

  all(): Iterable<{readonly of: WatchedResource; readonly sizes: Buckets}> {
    return this.#byResource.values();
  }
}
