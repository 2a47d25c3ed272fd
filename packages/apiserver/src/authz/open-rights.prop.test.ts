// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {RIGHTS} from '../base/limits.ts';
import {silentLog} from '../base/log.ts';
import {ManualTime} from '../testing/manual-time.ts';
import {type Kept, type LostRight, OpenRights} from './open-rights.ts';

const USERS = 4;
const user = fc.nat(USERS - 1);
const step = fc.oneof(
  {weight: 4, arbitrary: fc.record({do: fc.constant('open' as const), user})},
  {weight: 2, arbitrary: fc.record({do: fc.constant('close' as const), which: fc.nat()})},
  {weight: 1, arbitrary: fc.record({do: fc.constantFrom('grant' as const, 'revoke' as const), user})},
  {weight: 1, arbitrary: fc.record({do: fc.constantFrom('break' as const, 'mend' as const), user})},
  {weight: 3, arbitrary: fc.record({do: fc.constant('round' as const)})},
);

/** What must be open: written down without rounds in the background, groups and slices. */
class Model {
  readonly granted = new Array<boolean>(USERS).fill(true);
  readonly broken = new Array<boolean>(USERS).fill(false);
  /** Rounds in which the right of the user could not be checked, in a row, since a stream of theirs is open. */
  readonly failed = new Array<number>(USERS).fill(0);
  readonly open = new Map<string, number>();
  readonly ended: string[] = [];

  round(): void {
    for (let of = 0; of < USERS; of++) {
      const streams = [...this.open].filter(([, owner]) => owner === of).map(([name]) => name);
      this.failed[of] = this.broken[of] && streams.length > 0 ? (this.failed[of] ?? 0) + 1 : 0;
      const isOver = this.broken[of] ? (this.failed[of] ?? 0) >= RIGHTS.failedRoundsMax : !this.granted[of];
      if (!isOver) continue;
      this.failed[of] = 0;
      for (const name of streams) {
        this.open.delete(name);
        this.ended.push(`${name} ${this.broken[of] ? 'unverified' : 'forbidden'}`);
      }
    }
  }

  close(name: string): void {
    const owner = this.open.get(name) ?? 0;
    this.open.delete(name);
    if (![...this.open.values()].includes(owner)) this.failed[owner] = 0;
  }
}

test('whatever is opened, closed, given and taken: after a round exactly the streams without a right have ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, {minLength: 10, maxLength: 120, size: 'max'}),
      fc.boolean(),
      async (steps, isSlow) => {
        const time = new ManualTime();
        const rights = new OpenRights({timers: time, clock: time, log: silentLog});
        const model = new Model();
        const kept = new Map<string, Kept>();
        const ended: string[] = [];
        const check = async (of: number): Promise<LostRight | undefined> => {
          if (isSlow) await new Promise(resolve => setImmediate(resolve));
          if (model.broken[of]) throw new Error('no answer');
          return model.granted[of] ? undefined : {reason: 'forbidden', error: undefined};
        };
        const open = (name: string, of: number): void => {
          model.open.set(name, of);
          const users = {user: String(of)};
          const end = ({reason}: LostRight): void => void ended.push(`${name} ${reason}`);
          kept.set(name, rights.keep({key: `k${of}`, path: '/', users, check: () => check(of), end}));
        };
        for (const [i, taken] of steps.entries()) {
          if (taken.do === 'open') open(`s${i}`, taken.user);
          else if (taken.do === 'grant' || taken.do === 'revoke') model.granted[taken.user] = taken.do === 'grant';
          else if (taken.do === 'break' || taken.do === 'mend') model.broken[taken.user] = taken.do === 'break';
          else if (taken.do === 'close') {
            const name = [...model.open.keys()][taken.which % model.open.size];
            if (name === undefined) continue;
            kept.get(name)?.release();
            model.close(name);
          } else {
            model.round();
            time.advance(RIGHTS.roundMs);
            for (let turns = 0; turns < 8; turns++) await new Promise(resolve => setImmediate(resolve));
            expect(ended.toSorted()).toEqual(model.ended.toSorted());
            expect([rights.streams, rights.count]).toEqual([model.open.size, new Set(model.open.values()).size]);
            expect(time.pending).toBe(model.open.size > 0 ? 1 : 0);
          }
        }
      },
    ),
  );
});
