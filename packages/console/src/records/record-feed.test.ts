// SPDX-License-Identifier: Apache-2.0
import {type Followed, TransportError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {fakeTab, settle} from '../testing/surroundings.ts';
import {RecordFeed} from './record-feed.ts';

type Line = Followed<'threats'>;
const record = (id: string): Line => ({record: {id} as never, id});

test('49-3 records come once and newest first; the next stream goes on at the last cursor', async () => {
  const streams: (readonly (Line | Error)[])[] = [
    [{cursor: 'c1'}, record('1'), record('2'), {cursor: 'c2'}, record('3'), new TransportError('broken', 'broken')],
    [{cursor: 'c2'}, record('3'), record('4')],
  ];
  const asked: (string | undefined)[] = [];
  const client = {
    async *followRecords(
      _name: string,
      _kind: string,
      options: {cursor?: string | undefined; signal?: AbortSignal | undefined} = {},
    ) {
      asked.push(options.cursor);
      for (const line of streams[asked.length - 1] ?? []) {
        if (line instanceof Error) throw line;
        yield line;
      }
      if (asked.length < 2) return;
      await new Promise((_, reject) =>
        options.signal?.addEventListener('abort', () => reject(new TransportError('aborted', 'cancelled'))),
      );
    },
    listRecords: async () => ({records: [], nextPageToken: ''}),
  };
  const tab = fakeTab();
  const feed = new RecordFeed({
    ...{
      kind: 'threats' as const,
      toRow: ({id}: {id: string}) => ({name: id}),
      timeOf: ({name}: {name: string}) => name,
    },
    ...{client: client as never, name: 'e', filter: '', bounds: {since: undefined, until: undefined}, isLive: true},
    ...{matches: () => true, keep: 3, surroundings: tab},
  });
  feed.start();
  await settle();
  tab.frame();
  const {rows, phase} = feed.state.get();
  expect(rows.map(({name}) => name)).toEqual(['4', '3', '2']);
  expect(phase).toBe('live');
  expect(asked).toEqual([undefined, 'c2']);
  feed.stop();
});
