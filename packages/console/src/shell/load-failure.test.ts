// SPDX-License-Identifier: Apache-2.0
import {expect, test, vi} from 'vitest';
import {createStore} from '../api/store.ts';
import {isCodeMissing, loadCode, reloadWhenBack, titleOf} from './load-failure.ts';

test('49-3 code of a page that cannot be fetched is known in each browser, and is no other error', async () => {
  const wordings = [
    'Failed to fetch dynamically imported module: http://h/console/assets/page-x.js',
    'error loading dynamically imported module: http://h/console/assets/page-x.js',
    'Importing a module script failed.',
    'Unable to preload CSS for /console/assets/page-x.css',
  ];
  expect(wordings.filter(message => !isCodeMissing(new TypeError(message)))).toEqual([]);
  expect(isCodeMissing(new TypeError("Cannot read properties of undefined (reading 'rows')"))).toBe(false);
  const failed = await loadCode(() => Promise.reject(new TypeError(wordings[0])))().catch((error: Error) => error);
  expect(isCodeMissing(failed)).toBe(true);
  // The router reloads by itself where a message begins as browsers word it.
  expect((failed as Error).message).toMatch(/^the page has no code: Failed/);
});

test('49-3 a page without its code is loaded again when the server is back, and once if it answers', async () => {
  const lost = createStore('');
  const start = (isSecond: boolean, ask: () => Promise<unknown>) => {
    const reload = vi.fn();
    return {reload, end: reloadWhenBack({lost, ask, reload, isSecond})};
  };
  const updated = start(false, async () => {});
  const again = start(true, async () => {});
  const left = start(false, async () => {});
  left.end();
  const down = start(true, async () => {
    lost.set('refused');
    throw new Error('refused');
  });
  await Promise.resolve();
  expect([updated, again, left, down].map(({reload}) => reload.mock.calls.length)).toEqual([0, 0, 0, 0]);
  const later = start(true, async () => {});
  for (const {end} of [updated, again]) end();
  lost.set('timeout');
  expect(down.reload).not.toHaveBeenCalled();
  lost.set('');
  expect([down, later].map(({reload}) => reload.mock.calls.length)).toEqual([1, 1]);
  const answered = start(false, async () => {});
  const second = start(true, async () => {});
  await Promise.resolve();
  expect([answered, second, left].map(({reload}) => reload.mock.calls.length)).toEqual([1, 0, 0]);
});

test('49-3 a page that cannot be loaded has its own title, or that of its list', () => {
  const nav = (title: string) => ({title, icon: () => null, section: 'Overview'}) as const;
  const pages = [{path: '/', nav: nav('Overview')}, {path: '/threats', nav: nav('Threats')}, {path: '/threats/record'}];
  expect(pages.map(page => titleOf(page, pages))).toEqual(['Overview', 'Threats', 'Threats']);
});
