// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {TransportError} from '../http/contract.ts';
import {manualClock} from '../testing/manual-clock.ts';
import {FOLLOW_SILENCE_MS, type Followed, type FollowOptions, type IdsClient, type RecordOf} from './ids-client.ts';
import {IdsError} from './ids-error.ts';
import {keepFollowing} from './keep-following.ts';

const AWAY_MS_MAX = 60_000;
const BROKEN = new TransportError('broken', 'broke off');
const AWAY = new TransportError('unreachable', 'connection refused');

const record = (n: number): Followed<'threats'> => ({
  record: {threat_id: `1:${n}`} as RecordOf<'threats'>,
  id: `projects/p/locations/l/endpoints/a f-${n}`,
});
const cursor = (text: string): Followed<'threats'> => ({cursor: text});

/** The server says nothing more: the client waits as long as it does. */
const HANGS = 'hangs';

/** What each stream gives, and how it ends: with an error, or by its end. The last one is asked for again and again. */
type Script = readonly (Followed<'threats'> | Error | typeof HANGS)[];

const following = (...scripts: readonly Script[]) => {
  const clock = manualClock(AWAY_MS_MAX);
  const [asked, told]: [(string | undefined)[], string[]] = [[], []];
  const abort = new AbortController();
  const client = {
    followRecords: async function* (_name: string, _kind: string, options: FollowOptions) {
      const script = scripts[Math.min(asked.push(options.cursor), scripts.length) - 1] ?? [];
      let silenceMs = options.firstSilenceMs ?? FOLLOW_SILENCE_MS;
      for (const line of script) {
        if (line === HANGS) {
          await clock.sleep(silenceMs, abort.signal);
          throw new TransportError('timeout', `no answer within ${silenceMs} ms`);
        }
        silenceMs = FOLLOW_SILENCE_MS;
        if (line instanceof Error) throw line;
        yield line;
      }
    },
  } as unknown as Pick<IdsClient, 'followRecords'>;
  const records = keepFollowing(
    client,
    'x',
    'threats',
    {},
    {
      clock,
      awayMsMax: AWAY_MS_MAX,
      signal: abort.signal,
      onLost: why => told.push(`lost: ${why}`),
      onBack: () => told.push('back'),
    },
  );
  const take = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await records.next()).value?.threat_id);
    return ids;
  };
  return {asked, told, clock, abort, records, take};
};

describe('keepFollowing', () => {
  test.each([
    ['is cut', [BROKEN], 'broke off'],
    ['is silent', [new TransportError('timeout', 'no answer')], 'no answer'],
    ['ends', [], 'the server ended the stream'],
  ] as const)('a stream that %s goes on after its last cursor', async (_how, end, why) => {
    const {take, asked, told} = following(
      [cursor('c0'), record(1), cursor('c1'), ...end],
      [AWAY],
      [new IdsError('UNAVAILABLE', 'the server is stopping')],
      [cursor('c1'), record(2), cursor('c2')],
    );
    expect(await take(2)).toEqual(['1:1', '1:2']);
    expect(asked).toEqual([undefined, 'c1', 'c1', 'c1']);
    expect(told).toEqual([`lost: ${why}`, 'back']);
  });

  test('what came before the cut and after the last cursor comes once', async () => {
    const {take, asked} = following(
      [cursor('c0'), record(1), record(2), BROKEN],
      [cursor('c0'), record(1), record(2), BROKEN],
      [record(1), record(2), record(3), cursor('c3')],
    );
    expect(await take(3)).toEqual(['1:1', '1:2', '1:3']);
    expect(asked).toEqual([undefined, 'c0', 'c0']);
  });

  test('stored records that come before the first cursor are asked for again, and come once', async () => {
    const {take, asked} = following([record(1), record(2), BROKEN], [record(1), record(2), record(3), cursor('c')]);
    expect(await take(3)).toEqual(['1:1', '1:2', '1:3']);
    expect(asked).toEqual([undefined, undefined]);
  });

  test('a server that stays away is given up after the time, with what was wrong last', async () => {
    const {records, clock, told} = following([cursor('c0'), BROKEN], [AWAY]);
    await expect(records.next()).rejects.toMatchObject({
      code: 'unreachable',
      message: 'the server did not come back within 60 s: connection refused',
    });
    expect(clock.now()).toBe(AWAY_MS_MAX);
    expect(told).toEqual(['lost: broke off']);
  });

  test('a server that hangs is given up after the time as well', async () => {
    const {records, clock} = following([cursor('c0'), HANGS], [HANGS]);
    await expect(records.next()).rejects.toMatchObject({
      message: 'the server did not come back within 60 s: no answer within 13700 ms',
    });
    expect(clock.now()).toBe(FOLLOW_SILENCE_MS + AWAY_MS_MAX);
  });

  test('what is left of the time is told in whole milliseconds', async () => {
    const {records} = following([cursor('c0'), BROKEN], [AWAY], [AWAY], [AWAY], [AWAY], [HANGS]);
    await expect(records.next()).rejects.toThrow(/no answer within \d+ ms$/);
  });

  test('a server that is back may be silent as long as ever, also when little of the time was left', async () => {
    const away = Array.from({length: 14}, () => [AWAY]); // the next try is after 57.9 s
    const {records, clock, told} = following(
      [cursor('c0'), BROKEN],
      ...away,
      [cursor('c0'), HANGS],
      [cursor('c0'), record(1)],
    );
    expect((await records.next()).value?.threat_id).toBe('1:1');
    expect(told).toEqual(['lost: broke off', 'back', 'lost: no answer within 45000 ms', 'back']);
    expect(clock.slept).toContain(FOLLOW_SILENCE_MS);
  });

  test('the time begins anew with every absence', async () => {
    const streams = Array.from({length: 200}, (_, n): Script => [cursor(`c${n}`), record(n), BROKEN]);
    const {take, clock} = following(...streams);
    await take(200);
    expect(clock.now()).toBeGreaterThan(AWAY_MS_MAX);
  });

  test.each([
    ['the first try', [[AWAY]], AWAY],
    ['a refusal after a cut', [[cursor('c'), BROKEN], [new IdsError('PERMISSION_DENIED', 'no')]], {message: 'no'}],
  ] as const)('%s is not tried again', async (_what, scripts, error) => {
    const {records, clock} = following(...scripts);
    await expect(records.next()).rejects.toMatchObject(error);
    expect(clock.slept.length).toBe(scripts.length - 1);
  });

  test('an abort ends it while the server is away', async () => {
    const {records, clock, abort} = following([cursor('c'), BROKEN], [AWAY]);
    clock.onSleep = () => abort.abort(new Error('enough'));
    await expect(records.next()).rejects.toThrow('enough');
  });
});
