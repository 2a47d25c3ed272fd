// SPDX-License-Identifier: Apache-2.0
/** Watches over a long time: nothing is missed, history ends, bookmarks, ends. */
import {openMemoryStore} from '@palisade/store/memory';
import {expect, test} from 'vitest';
import {forEachKind, servedKinds} from './kinds/index.ts';
import {ManualTime} from './manual-time.ts';
import {keepOpen, startWire} from './support.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

forEachKind(
  'watches over time',
  objects => {
    test('E-275 nobody misses anything: random writes against many watches that start anywhere', async () => {
      const history: string[] = [];
      const watches = [];
      let seed = 7;
      const random = (below: number): number => {
        seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
        return seed % below;
      };
      const alive = new Set<string>();
      const {resourceVersion: start} = (await objects.list()).metadata;
      for (let i = 0; i < 150; i++) {
        const name = `o${random(6)}`;
        if (!alive.has(name)) {
          await objects.post(name);
          alive.add(name);
          history.push(`ADDED ${name}`);
        } else if (random(3) === 0) {
          await objects.remove(name);
          alive.delete(name);
          history.push(`DELETED ${name}`);
        } else {
          await objects.merge(name, {labels: {i: String(i)}});
          history.push(`MODIFIED ${name}`);
        }
        if (i % 10 === 0) {
          const {resourceVersion} = (await objects.list()).metadata;
          watches.push({from: history.length, watch: await objects.watch({resourceVersion})});
        }
      }
      watches.push({from: 0, watch: await objects.watch({resourceVersion: start})});
      for (const {from, watch} of watches) {
        expect(await watch.take(history.length - from)).toEqual(history.slice(from));
        watch.close();
      }
    });

    test('E-159 after history is gone one ends with 410, and over a restart it goes on', async () => {
      const kept = keepOpen(await openMemoryStore());
      let from = '';
      {
        await using wire = await startWire({store: kept, kinds: servedKinds});
        const first = objects.over(wire);
        from = (await first.post('a')).body.metadata.resourceVersion;
        await first.post('b');
        await first.remove('a');
      }
      await using wire = await startWire({store: kept, kinds: servedKinds, limits: {historyEventsMax: 8}});
      const second = objects.over(wire);
      const watch = await second.watch({resourceVersion: from});
      expect(await watch.take(2)).toEqual(['ADDED b', 'DELETED a']);
      watch.close();
      for (let i = 0; i < 20; i++) await second.merge('b', {labels: {i: String(i)}});
      const late = await second.watch({resourceVersion: from});
      const event = await late.next();
      expect([event.type, event.object.code, event.object.reason]).toEqual(['ERROR', 410, 'Expired']);
      expect(event.object.message).toMatch(new RegExp(`^too old resource version: ${from} \\(\\d+\\)$`));
      expect(await late.next()).toBeUndefined();
    });
  },
  {modes: ['spec']},
);

const time = new ManualTime(Date.parse('2026-01-01T00:00:00Z'));
forEachKind(
  'watches by the clock',
  objects => {
    test('E-275 timeoutSeconds ends one cleanly', async () => {
      const watch = await objects.watch({timeoutSeconds: '30', labelSelector: 'none=none'});
      time.advance(30_000);
      expect(await watch.next()).toBeUndefined();
      expect(watch.response.complete).toBe(true);
    });

    test.each([{accept: 'application/json'}, {accept: TABLE}, {accept: METADATA}])(
      'E-271 E-275 a quiet one hears how far the server is, as $accept',
      async ({accept}) => {
        const {resourceVersion} = (await objects.list()).metadata;
        const query = {resourceVersion, labelSelector: 'none=none', allowWatchBookmarks: 'true'};
        const watch = await objects.watch(query, {accept});
        const made = await objects.create();
        time.advance(60_000);
        const {type, object} = await watch.next();
        expect([type, object.metadata.resourceVersion]).toEqual(['BOOKMARK', made.metadata.resourceVersion]);
        watch.close();
      },
    );

    test('E-271 E-275 two seconds before its time is up one hears it once more, and then nothing', async () => {
      const {resourceVersion} = (await objects.list()).metadata;
      const query = {resourceVersion, labelSelector: 'none=none', allowWatchBookmarks: 'true'};
      const watch = await objects.watch({...query, timeoutSeconds: '90'});
      const short = await objects.watch({...query, timeoutSeconds: '2'});
      time.advance(60_000);
      expect(await short.next()).toBeUndefined();
      expect((await watch.next()).type).toBe('BOOKMARK');
      const made = await objects.create();
      time.advance(28_000);
      const {type, object} = await watch.next();
      expect([type, object.metadata.resourceVersion]).toEqual(['BOOKMARK', made.metadata.resourceVersion]);
      time.advance(2_000);
      expect(await watch.next()).toBeUndefined();
    });
  },
  {modes: ['spec'], server: () => ({clock: time, timers: time})},
);
