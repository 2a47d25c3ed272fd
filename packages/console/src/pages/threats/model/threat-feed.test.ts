// SPDX-License-Identifier: Apache-2.0
import {type Followed, IdsError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import type {Surroundings} from '../../../api/surroundings.ts';
import {type FeedOptions as Options, RecordFeed} from '../../../records/record-feed.ts';
import {settle} from '../../../testing/surroundings.ts';
import {type Threat, type ThreatRow, toRow} from './threat-row.ts';

type FeedOptions = Options<'threats', ThreatRow>;

const threat = (id: number, more: Partial<Threat> = {}): Threat =>
  ({
    id: String(id),
    endpoint: 'projects/p/locations/l/endpoints/e',
    event_time: `2026-11-28T10:00:${String(id).padStart(2, '0')}.000000Z`,
    repeat_count: '1',
    ...more,
  }) as Threat;

const surroundings: Surroundings = {
  clock: {now: () => 0, sleep: () => Promise.resolve()},
  onFrame: work => {
    queueMicrotask(work);
    return () => {};
  },
  isHidden: () => false,
  onVisibility: () => () => {},
};

type Line = Followed<'threats'>;
/** A stream that the test feeds, and pages that it gives. */
function feedOf(pages: readonly (readonly Threat[])[], more: Partial<FeedOptions> = {}) {
  const asked: string[] = [];
  const lines: Line[] = [];
  let wake = (): void => {};
  const client: FeedOptions['client'] = {
    async *followRecords<K>(_name: string, _kind: K, options?: {cursor?: string; signal?: AbortSignal}) {
      asked.push(`follow ${options?.cursor ?? ''}`.trim());
      while (options?.signal?.aborted !== true) {
        for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
          if ('end' in line) return;
          yield line as never;
        }
        await new Promise<void>(done => {
          wake = done;
        });
      }
    },
    listRecords: async (_name, _kind, options) => {
      const at = Number(options?.pageToken ?? 0);
      asked.push(`list ${at}`);
      const nextPageToken = at + 1 < pages.length ? String(at + 1) : '';
      return {records: (pages[at] ?? []) as never, nextPageToken};
    },
  };
  const feed = new RecordFeed<'threats', ThreatRow>({
    ...{kind: 'threats' as const, toRow, timeOf: ({threat: one}: ThreatRow) => one.event_time},
    ...{client, name: 'e', filter: '', bounds: {since: undefined, until: undefined}, isLive: true},
    ...{matches: () => true, surroundings, ...more},
  });
  const send = async (...sent: readonly (Line | {end: true})[]): Promise<void> => {
    lines.push(...(sent as Line[]));
    wake();
    await settle();
  };
  const ids = (): string =>
    feed.state
      .get()
      .rows.map(row => row.threat.id)
      .join(' ');
  return {feed, send, ids, asked};
}
const came = (record: Threat): Line => ({record, id: `${record.endpoint} ${record.id}`}) as Line;

test('49-3 the list is asked for after the stream is open, and what both have is one row', async () => {
  const {feed, send, ids, asked} = feedOf([[threat(2), threat(1)]]);
  feed.start();
  await send();
  expect(asked).toEqual(['follow']);
  await send({cursor: 'a'}, came(threat(2)), came(threat(3)));
  expect(asked).toEqual(['follow', 'list 0']);
  expect(ids()).toBe('3 2 1');
  expect(feed.state.get()).toMatchObject({isListed: true, hasMore: false, phase: 'live', held: 0});
  feed.stop();
});

test('49-3 rows that come are held back while somebody reads; a count that grows changes its row in place', async () => {
  const {feed, send, ids} = feedOf([[threat(2), threat(1)]]);
  feed.start();
  await send({cursor: 'a'});
  feed.hold(true);
  await send(
    came(threat(3)),
    came(threat(4)),
    came(threat(4, {repeat_count: '5'})),
    came(threat(1, {repeat_count: '7'})),
  );
  expect(ids()).toBe('2 1');
  expect(feed.state.get().rows[1]?.threat.repeat_count).toBe('7');
  expect(feed.state.get().held).toBe(2);
  feed.hold(false);
  expect(ids()).toBe('4 3 2 1');
  expect(feed.state.get().rows[0]?.threat.repeat_count).toBe('5');
  feed.stop();
});

test('49-3 the stream continues at its cursor and the list is not asked for again', async () => {
  const {feed, send, ids, asked} = feedOf([[threat(1)]]);
  feed.start();
  await send({cursor: 'a'}, {cursor: 'b'}, {end: true});
  await send(came(threat(2)));
  expect(asked).toEqual(['follow', 'list 0', 'follow b']);
  expect(ids()).toBe('2 1');
  feed.stop();
});

test('49-3 older pages are fetched one at a time, without a stream for a time that has ended', async () => {
  const {feed, send, ids, asked} = feedOf([[threat(3)], [threat(2)], [threat(1)]], {isLive: false});
  feed.start();
  await send();
  expect(feed.state.get().hasMore).toBe(true);
  await Promise.all([feed.more(), feed.more()]);
  await feed.more();
  await feed.more();
  await send();
  expect(asked).toEqual(['list 0', 'list 1', 'list 2']);
  expect(ids()).toBe('3 2 1');
  expect(feed.state.get().hasMore).toBe(false);
});

test('49-3 a decided threat leaves the list when the filter no longer holds', async () => {
  const {feed, send, ids} = feedOf([[threat(2), threat(1)]], {matches: ({acknowledged}) => acknowledged !== true});
  feed.start();
  await send({cursor: 'a'});
  feed.apply(threat(2, {acknowledged: true}));
  feed.apply(threat(1, {escalated: true}));
  await send();
  expect(ids()).toBe('1');
  expect(feed.state.get().rows[0]?.threat.escalated).toBe(true);
  feed.stop();
});

test('49-3 beyond what is kept the oldest go, and the page says so', async () => {
  const {feed, send, ids} = feedOf([[threat(2), threat(1)], [threat(0)]], {keep: 3});
  feed.start();
  await send({cursor: 'a'}, came(threat(3)), came(threat(4)));
  expect(ids()).toBe('4 3 2');
  expect(feed.state.get()).toMatchObject({isCut: true, hasMore: false});
  feed.stop();
});

test('49-3 a refusal is shown as the server words it', async () => {
  const {feed, send} = feedOf([], {
    isLive: false,
    client: {
      followRecords: async function* () {},
      listRecords: () =>
        Promise.reject(new IdsError('PERMISSION_DENIED', 'the permission ids.threats.list is missing')),
    },
  });
  feed.start();
  await send();
  expect(feed.state.get()).toMatchObject({phase: 'refused', error: 'The permission ids.threats.list is missing'});
});
