// SPDX-License-Identifier: Apache-2.0
/**
 * Validators: what is in the folder, and what readers got, against what the sensors wrote (traffic.ts) and the clients saw.
 *
 *   whole       every record of a batch up to the position is there as it was written last, or counted as dropped; no other one is
 *   once        no record is there twice
 *   counted     what is missing of a class is what the store counts as dropped; nothing is counted as lost; counts are those of the rows
 *   kept        critical records stay: what retention needs, it takes from lower classes
 *   evidence    the event of each critical record is there
 *   decisions   each that was answered is with its records, once; one that was not answered, once or not at all: with all of its records or none
 *   exporter    each threat comes once and in order, or is counted as missed
 *   follower    each flow comes once and in order, unless retention dropped some
 */

import type {EndpointLook, Look} from './look.ts';
import type {Decision, Delivery} from './record.ts';
import {batchOfId, CLASSES, criticalOf, ENDPOINTS, type Expected, expectedOf} from './traffic.ts';

export type Faults = Readonly<Record<string, readonly string[]>>;
type Counts = Readonly<Record<string, number>>;

const SHOWN = 5;
const shown = (what: string, list: readonly string[]): string[] =>
  list.length === 0 ? [] : [`${list.length} ${what}: ${list.slice(0, SHOWN).join(', ')}`];

const countBy = <T>(list: Iterable<T>, keyOf: (one: T) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const one of list) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
};

/** `endpoint`: its place. Against what it must have after as many batches as its position says. */
const ofEndpoint = (
  seed: number,
  endpoint: number,
  look: EndpointLook,
): Record<'whole' | 'once' | 'counted' | 'kept' | 'evidence', string[]> => {
  const name = ENDPOINTS[endpoint] ?? '';
  const {records, again} = expectedOf(seed, name, look.position);
  const ids = look.rows.map(({id}) => id);
  const there = new Set(ids);
  const unknown = ids.filter(id => !records.has(id));
  const other = look.rows.filter(({id, body, recordClass}) => {
    const expected = records.get(id);
    return expected !== undefined && (expected.body !== body || expected.recordClass !== recordClass);
  });
  const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
  const missing = [...records].filter(([id]) => !there.has(id));
  const critical = missing.filter(([, {recordClass}]) => recordClass === 'CRITICAL').map(([id]) => id);
  const noEvidence = [...records].filter(
    ([id, {evidence}]) => evidence !== undefined && look.evidence.get(id) !== evidence,
  );
  const at = `${name} after ${look.position} batches`;
  return {
    whole: [
      ...shown(`records of ${at} belong to no batch`, unknown),
      ...shown(
        `records of ${at} are other than written`,
        other.map(({id}) => id),
      ),
    ],
    once: shown(`records of ${at} are there twice`, twice),
    counted: countFaults(
      at,
      look,
      missing.map(([, expected]) => expected),
      again,
    ),
    kept: shown(`critical records of ${at} are gone`, critical),
    evidence: shown(
      `records of ${at} have no evidence`,
      noEvidence.map(([id]) => id),
    ),
  };
};

/** A record that was written again after it was dropped came back, and may have been dropped again. */
const countFaults = (at: string, look: EndpointLook, missing: readonly Expected[], again: Counts): string[] => {
  const faults: string[] = [];
  const gone = countBy(missing, ({recordClass}) => recordClass);
  for (const name of CLASSES) {
    const [least, dropped, lost] = [gone[name] ?? 0, look.evicted[name] ?? 0, look.lost[name] ?? 0];
    const most = least + (again[name] ?? 0);
    if (dropped < least || dropped > most)
      faults.push(`${at}: ${least} ${name} records are gone, and ${dropped} are counted as evicted`);
    if (lost > 0) faults.push(`${at}: ${lost} ${name} records are counted as lost`);
  }
  const {TRAFFIC: traffic = 0, ...threats} = countBy(look.rows, ({recordClass}) => recordClass);
  const sum = Object.values(threats).reduce((a, b) => a + b, 0);
  if (look.kept.traffic !== traffic || look.kept.threats !== sum)
    faults.push(`${at}: ${sum} threats and ${traffic} flows are there, and ${JSON.stringify(look.kept)} are counted`);
  return faults;
};

/**
 * Records of a damaged folder that are neither there nor counted as dropped or lost. Pages have no checksums: a row whose id is no
 * record's is one whose id was changed.
 */
export const uncounted = (seed: number, endpoints: readonly EndpointLook[]): readonly string[] =>
  endpoints.flatMap(({position, rows, evicted, lost}, i) => {
    const {records} = expectedOf(seed, ENDPOINTS[i] ?? '', position);
    const there = new Set(rows.map(({id}) => id));
    const missing = [...records].filter(([id]) => !there.has(id));
    const changed = countBy(
      rows.filter(({id}) => !records.has(id)),
      ({recordClass}) => recordClass,
    );
    return Object.entries(countBy(missing, ([, {recordClass}]) => recordClass)).flatMap(([name, count]) => {
      const counted = (evicted[name as 'LOW'] ?? 0) + (lost[name as 'LOW'] ?? 0);
      const gone = count - (changed[name] ?? 0);
      return gone > counted ? [`${gone} ${name} records of endpoint ${i} are gone, and ${counted} are counted`] : [];
    });
  });

export const validateFolder = (seed: number, look: Look): Faults => {
  const all = look.endpoints.map((endpoint, i) => ofEndpoint(seed, i, endpoint));
  const of = (name: keyof (typeof all)[number]): string[] => all.flatMap(each => each[name]);
  return {
    whole: of('whole'),
    once: of('once'),
    counted: of('counted'),
    kept: of('kept'),
    evidence: of('evidence'),
    check: look.faults,
  };
};

export const validateDecisions = (
  seed: number,
  decisions: ReadonlyMap<number, Decision>,
  look: Look,
): readonly string[] => {
  const having = new Map<number, string[]>();
  for (const [endpoint, {rows}] of look.endpoints.entries())
    for (const {id, comments} of rows)
      for (const number of comments) having.set(number, [...(having.get(number) ?? []), `${endpoint} ${id}`]);
  const faults: string[] = [];
  for (const [number, decision] of decisions) {
    const places = having.get(number) ?? [];
    const {endpoint, id, changed} = decision;
    if (places.length === 0 && (changed ?? 0) === 0) continue;
    const wanted = id === '*' ? criticalUntil(seed, endpoint, decision.until) : [id];
    const isThere = wanted.every(each => places.includes(`${endpoint} ${each}`));
    const isOnce = new Set(places).size === places.length && (id === '*' || places.length === 1);
    const isOwn = places.every(place => place.startsWith(`${endpoint} `));
    if (!isThere || !isOnce || !isOwn)
      faults.push(
        `decision ${number} on ${id} (${(changed ?? 0) > 0 ? 'answered' : 'not answered'}) is at ${places.length} of ${wanted.length} records: ${places.slice(0, SHOWN).join(', ')}`,
      );
  }
  const unknown = [...having.keys()].filter(number => !decisions.has(number)).map(String);
  return [...shown('comments are of nobody', unknown), ...faults];
};

const criticalUntil = (seed: number, endpoint: number, until: number): readonly string[] =>
  Array.from({length: until}, (_, i) => criticalOf(seed, ENDPOINTS[endpoint] ?? '', i + 1)).filter(
    id => id !== undefined,
  );

type Stream = {
  readonly seed: number;
  readonly deliveries: readonly Delivery[];
  readonly isOfKind: (recordClass: string) => boolean;
  /** Whether `missed` of the deliveries counts what did not come. */
  readonly counts: boolean;
};

/** Each record once, in the order of the batches of its sensor; where retention dropped some of a class, as many may not have come, or come again. */
export const validateStream = ({seed, deliveries, isOfKind, counts}: Stream, look: Look): readonly string[] => {
  const faults: string[] = [];
  let undelivered = 0;
  for (const [endpoint, {position, evicted}] of look.endpoints.entries()) {
    const name = ENDPOINTS[endpoint] ?? '';
    const {records} = expectedOf(seed, name, position);
    const wanted = [...records].filter(([, {recordClass}]) => isOfKind(recordClass));
    const got = deliveries.flatMap(({given}) => given.filter(([of]) => of === endpoint).map(([, id]) => id));
    const times = countBy(got, id => id);
    const dropped = (id: string): number => evicted[records.get(id)?.recordClass ?? 'TRAFFIC'] ?? 0;
    faults.push(
      ...shown(
        `records of ${name} came that nobody wrote`,
        [...new Set(got)].filter(id => !records.has(id)),
      ),
      ...shown(
        `records of ${name} came twice`,
        Object.keys(times).filter(id => (times[id] ?? 0) > 1 && dropped(id) === 0),
      ),
    );
    faults.push(...orderFaults(name, deliveries, endpoint, id => dropped(id) > 0));
    const missing = wanted.filter(([id]) => times[id] === undefined);
    undelivered += missing.length;
    const byClass = countBy(missing, ([, {recordClass}]) => recordClass);
    for (const [recordClass, count] of Object.entries(byClass))
      if (count > (evicted[recordClass as 'LOW'] ?? 0))
        faults.push(`${count} ${recordClass} records of ${name} did not come, such as ${missing[0]?.[0]}`);
  }
  const missed = deliveries.reduce((sum, each) => sum + each.missed, 0);
  if (counts && missed < undelivered)
    faults.push(`${undelivered} records did not come, and ${missed} are counted as missed`);
  return faults;
};

/** A record of a class that retention dropped may have come back with a later batch. */
const orderFaults = (
  name: string,
  deliveries: readonly Delivery[],
  endpoint: number,
  isDropped: (id: string) => boolean,
): readonly string[] => {
  const live = deliveries.filter(({isStored}) => !isStored).flatMap(({given}) => given);
  const ids = live.filter(([of, id]) => of === endpoint && !isDropped(id)).map(([, id]) => id);
  const late = ids.filter((id, i) => i > 0 && batchOfId(id) < batchOfId(ids[i - 1] ?? ''));
  return shown(`records of ${name} came after those of a later batch`, late);
};

/** Of a copy, which is of one commit between its begin and its end. */
export const validateCopy = (
  seed: number,
  {before, after}: {readonly before: readonly number[]; readonly after: readonly number[]},
  look: Look,
): readonly string[] => {
  const faults = Object.entries(validateFolder(seed, look)).flatMap(([name, list]) =>
    list.map(fault => `${name}: ${fault}`),
  );
  for (const [i, {position}] of look.endpoints.entries())
    if (position < (before[i] ?? 0) || position > (after[i] ?? 0))
      faults.push(
        `${ENDPOINTS[i]} is at batch ${position}; ${before[i]} was answered before, and ${after[i]} begun when it was done`,
      );
  return faults;
};
