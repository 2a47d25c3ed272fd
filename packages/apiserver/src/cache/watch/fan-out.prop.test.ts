// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ManualFanOut, type ManualWatch} from './testing/manual-fan-out.ts';

const step = fc.oneof(
  {weight: 4, arbitrary: fc.record({do: fc.constant('append' as const), count: fc.constantFrom(1, 1, 6)})},
  {weight: 4, arbitrary: fc.record({do: fc.constant('turn' as const)})},
  {weight: 2, arbitrary: fc.record({do: fc.constantFrom('stick' as const, 'take' as const), which: fc.nat()})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('pass' as const), ms: fc.integer({min: -50, max: 200})})},
  {weight: 1, arbitrary: fc.record({do: fc.constant('open' as const), which: fc.nat()})},
);

test('E-275 every watch gets each change after its start once, in order, whatever its socket and the clock do', () => {
  fc.assert(
    fc.property(
      fc.array(step, {minLength: 20, maxLength: 200, size: 'max'}),
      fc.integer({min: 0, max: 5}),
      (steps, writeMs) => {
        const room = new ManualFanOut();
        room.writeMs = writeMs;
        room.laggingMsMax = 1_000_000;
        const events: string[] = [];
        const watches: (ManualWatch & {readonly from: number})[] = [];
        for (const taken of steps) {
          const watch = 'which' in taken ? watches[taken.which % watches.length] : undefined;
          if (taken.do === 'append') for (let i = 0; i < taken.count; i++) events.push(`ADDED ${room.append()}\n`);
          else if (taken.do === 'turn') room.time.turn(room.time.nowMs + 100);
          else if (taken.do === 'pass' && taken.ms < 0) room.time.nowMs += taken.ms;
          else if (taken.do === 'pass') room.time.pass(taken.ms);
          else if (taken.do === 'stick' && watch !== undefined) watch.sink.isStuck = true;
          else if (taken.do === 'take') watch?.sink.take();
          else if (taken.do === 'open') {
            const from = taken.which % (events.length + 1);
            watches.push({...room.open(`w${watches.length}`, {from}), from});
          }
        }
        for (const {sink} of watches) sink.take();
        room.time.pass(10_000);
        for (const {sink, from} of watches) expect(sink.text).toBe(events.slice(from).join(''));
      },
    ),
  );
});
