// SPDX-License-Identifier: Apache-2.0
/**
 * Which request is served when too many are there: seats for each priority level, and within a level for each user. One for all sides of
 * a server.
 */
import {DEFAULT_LIMITS, type Limits} from '../base/limits.ts';
import type {Clock, Timers} from '../base/time.ts';
import {LaneCounts} from './lane-counts.ts';
import {PriorityLevel, type Seats, type WhenGone} from './level.ts';
import {type Asked, FLOW_SCHEMAS, flowOf, LEVELS, type LevelName} from './levels.ts';

/** Of the whole server. Ref: kubernetes v1.36 --max-requests-inflight, --max-mutating-requests-inflight. */
export const REQUESTS_INFLIGHT_MAX = {all: 400, mutating: 200} as const;

type FairnessParts = {
  /** Of all levels together; default: upstream's. Each level gets its part, rounded up. */
  readonly seats?: number | undefined;
  readonly clock: Clock;
  readonly timers: Pick<Timers, 'after'>;
  readonly limits?: Partial<FairnessLimits> | undefined;
};

type FairnessLimits = Pick<Limits, 'queuedPerUserMax' | 'queuedPerLevelMax' | 'queueWaitMsMax'>;

/** Where a request waits. */
export type Lane = {readonly level: PriorityLevel; readonly counts: LaneCounts; readonly flow: string};

/** What a request does: the seats that it needs, and whether it changes something. */
export type Work = {readonly width: number; readonly mutates: boolean};

/** Bounds whose refusals are counted. */
type BoundName = 'watches' | 'follows' | 'lists';

const SHARES = LEVELS.reduce((sum, {shares}) => sum + (shares ?? 0), 0);

export class Fairness {
  readonly levels: readonly {readonly level: PriorityLevel; readonly lanes: readonly LaneCounts[]}[];
  /** Requests that hold seats, exempt ones too. */
  readonly inflight = {mutating: {executing: 0}, readOnly: {executing: 0}};
  /** How often a bound of a user refused something. */
  readonly refusals: Record<BoundName, number> = {watches: 0, follows: 0, lists: 0};
  readonly #schemas: readonly {readonly matches: (asked: Asked) => boolean; readonly lane: Omit<Lane, 'flow'>}[];

  constructor({
    seats = REQUESTS_INFLIGHT_MAX.all + REQUESTS_INFLIGHT_MAX.mutating,
    clock,
    timers,
    limits,
  }: FairnessParts) {
    const {queuedPerUserMax, queuedPerLevelMax, queueWaitMsMax} = {...DEFAULT_LIMITS, ...limits};
    const queue = {queuedPerFlowMax: queuedPerUserMax, queuedMax: queuedPerLevelMax, queueWaitMsMax};
    const levels = new Map<LevelName, PriorityLevel>();
    for (const {name, shares} of LEVELS) {
      const own = shares === undefined ? 'exempt' : Math.ceil((seats * shares) / SHARES);
      levels.set(name, new PriorityLevel({name, seats: own, limits: queue, clock, timers}));
    }
    this.#schemas = FLOW_SCHEMAS.map(({name, level, matches}) => ({
      matches,
      lane: {level: levels.get(level) as PriorityLevel, counts: new LaneCounts(name)},
    }));
    this.levels = [...levels.values()].map(level => ({
      level,
      lanes: this.#schemas.filter(({lane}) => lane.level === level).map(({lane}) => lane.counts),
    }));
  }

  laneOf(asked: Asked): Lane {
    for (const {matches, lane} of this.#schemas)
      if (matches(asked)) return {level: lane.level, counts: lane.counts, flow: flowOf(asked)};
    throw new Error('the last flow schema matches every request');
  }

  /** See PriorityLevel. */
  enter({level, counts, flow}: Lane, {width, mutates}: Work, whenGone: WhenGone): Seats | Promise<Seats | undefined> {
    const kind = mutates ? this.inflight.mutating : this.inflight.readOnly;
    return level.enter({flow, counts, kind, width}, whenGone);
  }

  countRefusal(bound: BoundName): void {
    this.refusals[bound]++;
  }
}
