// SPDX-License-Identifier: Apache-2.0
import {KubeError, type KubeObject, TransportError, type WatchEvent} from '@palisade/client/browser';
import {describe, expect, test} from 'vitest';
import {fakeTab, settle} from '../../testing/surroundings.ts';
import {isCounted, startLiveList} from './live-list.ts';

const object = (name: string, resourceVersion = '1'): KubeObject => ({
  metadata: {namespace: 'a', name, resourceVersion},
});
const gone = new KubeError({code: 410, reason: 'Expired', message: 'too old', causes: []});

type Step = WatchEvent<KubeObject> | Error;

/** A server whose list is `pages` and whose watches are given out in turn; a watch without an end stays open. */
function fakeKind(pages: readonly (readonly KubeObject[])[][], watches: readonly (readonly Step[])[]) {
  const asked: string[] = [];
  let [lists, turn] = [0, 0];
  return {
    asked,
    client: {
      list: async (_namespace: string, options: {continue?: string | undefined} = {}) => {
        const at = Number(options.continue ?? 0);
        if (at === 0) lists++;
        const list = pages[Math.min(lists, pages.length) - 1] ?? [];
        asked.push(`list ${at}`);
        const next = at + 1 < list.length ? String(at + 1) : undefined;
        return {
          items: list[at] ?? [],
          metadata: {resourceVersion: `${lists}0`, ...(next === undefined ? {} : {continue: next})},
        };
      },
      async *watch(
        _namespace: string,
        options: {resourceVersion?: string | undefined; signal?: AbortSignal | undefined} = {},
      ) {
        asked.push(`watch ${options.resourceVersion}`);
        const steps = watches[turn++] ?? [];
        for (const step of steps) {
          if (step instanceof Error) throw step;
          yield step;
        }
        if (turn < watches.length) return;
        const {promise, reject} = Promise.withResolvers<never>();
        const abort = (): void => reject(new TransportError('aborted', 'cancelled'));
        options.signal?.addEventListener('abort', abort);
        if (options.signal?.aborted) abort();
        await promise;
      },
    },
  };
}

const start = (kind: ReturnType<typeof fakeKind>, tab = fakeTab()) => {
  const list = startLiveList({client: kind.client, toRow: ({metadata}) => metadata?.name ?? '', surroundings: tab});
  return {tab, list, rows: () => list.state.get().rows, phase: () => list.state.get().phase};
};

describe('49-3 a live list', () => {
  test('reads all pages, then follows changes from there, in the order of names', async () => {
    const kind = fakeKind(
      [[[object('c')], [object('a')]]],
      [
        [
          {type: 'ADDED', object: object('b', '11')},
          {type: 'DELETED', object: object('c', '12')},
          {type: 'BOOKMARK', object: {metadata: {resourceVersion: '13'}}},
        ],
        [],
      ],
    );
    const {tab, rows, phase} = start(kind);
    await settle();
    tab.frame();
    expect(rows()).toEqual(['a', 'b']);
    expect(phase()).toBe('live');
    expect(kind.asked).toEqual(['list 0', 'list 1', 'watch 10', 'watch 13']);
  });

  test('however many events come, one snapshot is made for a frame', async () => {
    const many = Array.from({length: 500}, (_, i): Step => ({type: 'MODIFIED', object: object('a', String(20 + i))}));
    const {tab, list} = start(fakeKind([[[object('a')]]], [many, []]));
    let snapshots = 0;
    list.state.subscribe(() => snapshots++);
    await settle();
    tab.frame();
    expect(snapshots).toBe(1);
  });

  test('410: the list is read again, and its old rows are shown until it is there', async () => {
    const kind = fakeKind([[[object('a')]], [[object('b')]]], [[gone], []]);
    const {tab, rows} = start(kind);
    await settle();
    tab.frame();
    expect(kind.asked).toEqual(['list 0', 'watch 10', 'list 0', 'watch 20']);
    expect(rows()).toEqual(['b']);
  });

  test('a hidden tab has no stream; shown again it continues without a gap and without a list', async () => {
    const kind = fakeKind([[[object('a')]]], [[{type: 'ADDED', object: object('b', '15')}]]);
    const {tab, phase} = start(kind);
    await settle();
    tab.hide(true);
    await settle();
    tab.frame();
    expect(phase()).toBe('paused');
    tab.hide(false);
    await settle();
    tab.frame();
    expect(phase()).toBe('live');
    expect(kind.asked).toEqual(['list 0', 'watch 10', 'watch 15']);
  });

  test('a large list is shown with a pause between snapshots, also when the clock is set back', async () => {
    const tab = fakeTab();
    let setBackMs = 0;
    const clock = {...tab.clock, now: () => tab.clock.now() - setBackMs};
    const many = Array.from({length: 5_001}, (_, i) => object(`n${i}`));
    const {list, phase} = start(fakeKind([[many]], [[]]), {...tab, clock});
    await settle();
    tab.frame();
    expect(list.state.get().rows).toHaveLength(5_001);
    setBackMs = 3_600_000;
    tab.hide(true);
    await settle();
    tab.frame();
    expect(phase()).toBe('paused');
    list.stop();
  });

  test('a tab that is opened in the background is loading until the first answer, not without rows', async () => {
    const hidden = fakeTab();
    hidden.hide(true);
    const {tab, phase, rows} = start(fakeKind([[[object('a')]]], []), hidden);
    await settle();
    tab.hide(false);
    tab.frame();
    expect(phase()).toBe('loading');
    await settle();
    tab.frame();
    expect([phase(), rows()]).toEqual(['live', ['a']]);
  });

  test('a server that is away is asked again; one that refuses is not, and its words are shown', async () => {
    const away = fakeKind([[[object('a')]]], [[new TransportError('broken', 'broken')], []]);
    const lost = start(away);
    await settle();
    expect(away.asked).toEqual(['list 0', 'watch 10', 'watch 10']);
    expect(lost.tab.slept).toEqual([500]);
    const no = new KubeError({code: 403, reason: 'Forbidden', message: 'endpoints is forbidden', causes: []});
    const refusing = fakeKind([[[object('a')]]], [[no], []]);
    const refused = start(refusing);
    await settle();
    refused.tab.frame();
    expect(refused.list.state.get()).toMatchObject({phase: 'refused', error: 'Endpoints is forbidden'});
    expect(refusing.asked).toEqual(['list 0', 'watch 10']);
  });

  test('has no count before the first answer, nor of a refused list; the last count stays when the connection is lost', () => {
    expect(isCounted({rows: [], phase: 'loading'})).toBe(false);
    expect(isCounted({rows: [], phase: 'refused', error: 'no right'})).toBe(false);
    expect(isCounted({rows: [], phase: 'live'})).toBe(true);
    expect(isCounted({rows: [1], phase: 'lost', error: 'no answer'})).toBe(true);
  });
});
