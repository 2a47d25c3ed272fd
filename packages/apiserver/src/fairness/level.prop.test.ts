// SPDX-License-Identifier: Apache-2.0
/** The invariants of level.ts under any order of requests, ends, departures and time. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ManualTime} from '../testing/manual-time.ts';
import {LaneCounts} from './lane-counts.ts';
import {PriorityLevel, type Seats} from './level.ts';

const SEATS_MAX = 20;
const FLOWS = ['a', 'b', 'c', 'd'];

type Step =
  | {readonly do: 'ask'; readonly flow: string; readonly width: number}
  | {readonly do: 'end'; readonly which: number}
  | {readonly do: 'leave'; readonly which: number}
  | {readonly do: 'wait'; readonly ms: number};

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask'),
      flow: fc.constantFrom(...FLOWS),
      width: fc.integer({min: 1, max: 30}),
    }),
  },
  {weight: 3, arbitrary: fc.record({do: fc.constant('end'), which: fc.nat(50)})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('leave'), which: fc.nat(50)})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('wait'), ms: fc.integer({min: -100, max: 6_000})})},
) as fc.Arbitrary<Step>;

type Request = {
  readonly flow: string;
  readonly id: number;
  state: 'waiting' | 'runs' | 'ended' | 'refused' | 'left';
  seats: Seats | undefined;
  times: number;
};

const play = async (limit: number, steps: readonly Step[]): Promise<void> => {
  const time = new ManualTime();
  const limits = {queuedPerFlowMax: 8, queuedMax: 20, queueWaitMsMax: 15_000};
  let setBackMs = 0;
  const clock = {now: () => time.now() - setBackMs};
  const level = new PriorityLevel({name: 'p', seats: limit, limits, clock, timers: time});
  const counts = new LaneCounts('p');
  const kind = {executing: 0};
  const requests: Request[] = [];
  const leaving = new Map<Request, () => void>();
  const beganOf = new Map<string, number[]>();

  const inState = (state: Request['state']): Request[] => requests.filter(r => r.state === state);
  const check = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await Promise.resolve();
    const held = inState('runs');
    const seats = held.reduce((sum, r) => sum + (r.seats?.width ?? 0), 0);
    expect(seats).toBeLessThanOrEqual(limit); // I1
    expect([level.inUse, counts.seats, counts.executing, kind.executing]).toEqual([
      seats,
      seats,
      held.length,
      held.length,
    ]);
    for (const flow of FLOWS) {
      const own = held.filter(r => r.flow === flow).reduce((sum, r) => sum + (r.seats?.width ?? 0), 0);
      expect(own).toBeLessThanOrEqual(Math.max(1, Math.floor(limit * 0.75)));
    }
    expect([level.waiting, counts.waiting]).toEqual([inState('waiting').length, inState('waiting').length]);
    expect(level.waiting).toBeLessThanOrEqual(limits.queuedMax); // I5
    expect(requests.every(r => r.times <= 1)).toBe(true); // I2
    for (const ids of beganOf.values()) expect(ids).toEqual(ids.toSorted((a, b) => a - b)); // I3
  };
  const ask = (flow: string, width: number): void => {
    const request: Request = {flow, id: requests.length, state: 'waiting', seats: undefined, times: 0};
    requests.push(request);
    const got = (seats: Seats | undefined): void => {
      request.times++;
      request.state = seats === undefined ? 'left' : 'runs';
      request.seats = seats;
      if (seats !== undefined) beganOf.set(flow, [...(beganOf.get(flow) ?? []), request.id]);
    };
    const entered = level.enter({flow, counts, kind, width}, action => {
      leaving.set(request, action);
      return () => leaving.delete(request);
    });
    if (entered instanceof Promise)
      entered.then(got, () => {
        request.times++;
        request.state = 'refused';
      });
    else got(entered);
  };
  const end = (request: Request | undefined): void => {
    if (request === undefined) return;
    request.state = 'ended';
    request.seats?.release();
  };

  for (const action of steps) {
    if (action.do === 'ask') ask(action.flow, action.width);
    else if (action.do === 'end') end(inState('runs')[action.which % Math.max(1, inState('runs').length)]);
    else if (action.do === 'leave')
      leaving.get(inState('waiting')[action.which % Math.max(1, level.waiting)] as Request)?.();
    else if (action.ms < 0) setBackMs -= action.ms;
    else time.advance(action.ms);
    await check();
  }
  // I4: each that waits is served after finitely many ends, if new requests keep coming for as long as it waits.
  const old = inState('waiting');
  for (let ends = 0; old.some(r => r.state === 'waiting'); ends++) {
    expect(ends).toBeLessThan(2_000);
    ask(FLOWS[ends % FLOWS.length] as string, 1 + (ends % 7));
    end(inState('runs')[0]);
    await check();
  }
  for (let run = inState('runs'); run.length > 0; run = inState('runs')) {
    end(run[0]);
    await check();
  }
  expect(requests.every(r => r.state === 'ended' || r.state === 'refused' || r.state === 'left')).toBe(true); // none is lost
  expect(time.pending).toBe(0);
};

test('seats stay within the limit; no request is lost or served twice; FIFO within a user; nobody starves', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({min: 1, max: SEATS_MAX}), fc.array(step, {maxLength: 120}), play), {
    numRuns: 60,
  });
}, 60_000);
