// SPDX-License-Identifier: Apache-2.0
import {type Followed, TransportError} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {fakeTab, settle} from '../../testing/surroundings.ts';
import {startRecordStream} from './record-stream.ts';

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
  };
  const tab = fakeTab();
  const stream = startRecordStream({client: client as never, name: 'e', kind: 'threats', keep: 3, surroundings: tab});
  await settle();
  tab.frame();
  const {records, total, phase} = stream.state.get();
  expect(records.map(({id}) => id)).toEqual(['4', '3', '2']);
  expect([total, phase]).toEqual([4, 'live']);
  expect(asked).toEqual([undefined, 'c2']);
  stream.stop();
});
