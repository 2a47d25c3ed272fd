// SPDX-License-Identifier: Apache-2.0
/**
 * What a registry promises to its watchers, each as a check over what they were delivered: a list of faults, empty when it
 * holds. Ref: etcd tests/robustness/validate/watch.go
 */
import {eventsOf, type KvRecord, type Seen, type Watch} from './record.ts';
import type {Timeline} from './timeline.ts';

const line = ({revision, key, id}: Seen): string =>
  `${revision} ${id === undefined ? `delete ${key}` : `put ${key}=${id}`}`;
const nameOf = ({client, from}: Watch): string => `${client} from ${from}`;
const forEach = ({watches}: KvRecord, check: (watch: Watch) => readonly string[]): string[] =>
  watches.flatMap(watch => check(watch).map(fault => `${nameOf(watch)}: ${fault}`));

/** Revisions never go down, and all come after the one it began with. */
export const ordered = (record: KvRecord): string[] =>
  forEach(record, watch => {
    let newest = watch.from;
    return eventsOf(watch).flatMap((event, i) => {
      const fault = event.revision < newest || (i === 0 && event.revision <= watch.from);
      newest = Math.max(newest, event.revision);
      return fault ? [`out of order: ${line(event)}`] : [];
    });
  });

/** No change comes twice. */
export const unique = (record: KvRecord): string[] =>
  forEach(record, watch => {
    const seen = new Set<string>();
    return eventsOf(watch).flatMap(event => {
      const name = `${event.revision} ${event.key}`;
      const fault = seen.has(name) ? [`twice: ${line(event)}`] : [];
      seen.add(name);
      return fault;
    });
  });

/** The changes of one transaction come together. */
export const atomic = (record: KvRecord): string[] =>
  forEach(record, ({deliveries}) => {
    let before = -1;
    return deliveries.flatMap(each => {
      if (each.kind === 'bookmark') return [];
      const split = each.events[0]?.revision === before;
      before = each.events.at(-1)?.revision ?? before;
      return split ? [`revision ${before} was split`] : [];
    });
  });

/** Every change is of the prefix that was asked for. */
export const filtered = (record: KvRecord): string[] =>
  forEach(record, watch =>
    eventsOf(watch).flatMap(event => (event.key.startsWith(watch.prefix) ? [] : [`not asked for: ${line(event)}`])),
  );

/** The revision that a change names as the one before is the one that was there. */
export const previous = (record: KvRecord, timeline: Timeline): string[] =>
  forEach(record, watch =>
    eventsOf(watch).flatMap(event => {
      if (event.previous === undefined) return [];
      const before = timeline.at(event.key, event.revision - 1);
      const want = before?.id === undefined ? 0 : before.revision;
      return event.previous === want ? [] : [`${line(event)}: follows ${event.previous} instead of ${want}`];
    }),
  );

/** Changes of the prefix in (from, through] that anybody knows of, and the watch was not delivered. */
function missed(watch: Watch, through: number, timeline: Timeline): string[] {
  const got = new Set(eventsOf(watch).map(({revision, key}) => `${revision} ${key}`));
  return timeline.keys
    .filter(key => key.startsWith(watch.prefix))
    .flatMap(key =>
      timeline
        .of(key)
        .filter(({revision}) => revision > watch.from && revision <= through && !got.has(`${revision} ${key}`))
        .map(point => `missed: ${line({...point, key})}`),
    );
}
/** Up to which revision it has to be whole. */
const throughOf = (watch: Watch): number =>
  watch.end === 'caught-up' ? Math.max(watch.through, lastEvent(watch)) : lastEvent(watch);
const lastEvent = (watch: Watch): number => eventsOf(watch).at(-1)?.revision ?? watch.from;

/** Nothing is left out: between its start and its last change, and up to the newest where it was awaited to the end. */
export const reliable = (record: KvRecord, timeline: Timeline): string[] =>
  forEach(record, watch => (watch.resumes ? [] : missed(watch, throughOf(watch), timeline)));

/** The same for a watch that continues another: from the last event or bookmark on, whatever was cut in between. */
export const resumable = (record: KvRecord, timeline: Timeline): string[] =>
  forEach(record, watch => (watch.resumes ? missed(watch, throughOf(watch), timeline) : []));

/** At a bookmark everything up to its revision has been delivered, and comes no more. */
export const bookmarkable = (record: KvRecord, timeline: Timeline): string[] =>
  forEach(record, watch => {
    let bookmark = watch.from;
    const faults: string[] = [];
    for (const each of watch.deliveries) {
      if (each.kind === 'bookmark') {
        if (each.revision < bookmark) faults.push(`bookmark ${each.revision} after ${bookmark}`);
        bookmark = each.revision;
      } else
        for (const event of each.events)
          if (event.revision <= bookmark) faults.push(`after bookmark ${bookmark}: ${line(event)}`);
    }
    const isMarked = watch.deliveries.some(({kind}) => kind === 'bookmark');
    return isMarked ? [...faults, ...missed(watch, bookmark, timeline)] : faults;
  });

export const WATCH_VALIDATORS = {ordered, unique, atomic, filtered, previous, reliable, resumable, bookmarkable};
