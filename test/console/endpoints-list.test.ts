// SPDX-License-Identifier: Apache-2.0
/** The list of endpoints in a real browser: live, filtered, by keyboard, with hostile texts. */
import type {Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {SEEDED, seedKube, seedRoles} from './support/seed/kube.ts';
import {showTheme, THEMES} from './support/theme.ts';

describe.skipIf(whyNoBrowser !== undefined)(`the list of endpoints${noBrowserReason}`, () => {
  let browser: ConsoleBrowser;
  let server: ConsoleServer;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), startConsoleServer({auth: 'tokens'})]);
    await Promise.all([seedRoles(server), seedKube(server)]);
  });
  afterAll(() => Promise.all([browser, server].map(each => each?.[Symbol.asyncDispose]())));

  const grid = (page: Page): Locator => page.getByRole('grid', {name: 'Endpoints'});
  /** The first row is the header. */
  const rowCount = async (page: Page): Promise<number> => Number(await grid(page).getAttribute('aria-rowcount')) - 1;
  const row = (page: Page, name: string): Locator =>
    grid(page)
      .getByRole('row')
      .filter({has: page.getByRole('link', {name, exact: true})});

  test('49-3 shows every set with its ready addresses and ports, in both themes without a violation', () =>
    browser.visit(server, {path: 'endpoints', as: 'viewer'}, async ({page}) => {
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
      expect(await row(page, 'web').innerText()).toMatch(/shop\s+3\/4\s+http:8080, metrics:9100\s+10\.20\.1\.14/);
      expect(await row(page, 'api').innerText()).toMatch(/payments\s+0\/3\s+https:8443/);
      for (const theme of THEMES) {
        await showTheme(page, theme);
        expect(await violationsOf(page)).toEqual([]);
      }
      await page.getByText('You lack the right to create endpoints', {exact: true}).waitFor({state: 'attached'});
      await photograph(page, 'endpoints');
    }));

  test('49-3 a set that is created, changed and deleted comes, changes and goes without a reload', () =>
    browser.visit(server, {path: 'endpoints', as: 'viewer'}, async ({page}) => {
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
      const path = '/api/v1/namespaces/shop/endpoints';
      const set = (ready: number): object => ({
        metadata: {name: 'live'},
        subsets: [{addresses: [1, 2, 3].slice(0, ready).map(i => ({ip: `10.9.9.${i}`})), ports: [{port: 80}]}],
      });
      expect((await server.rest.post(path, {}, set(1))).status).toBe(201);
      await expect.poll(() => row(page, 'live').innerText()).toContain('1/1');
      expect((await server.rest.call('PUT', `${path}/live`, {}, set(3))).status).toBe(200);
      await expect.poll(() => row(page, 'live').innerText()).toContain('3/3');
      expect((await server.rest.delete(`${path}/live`)).status).toBe(200);
      await row(page, 'live').waitFor({state: 'detached'});
    }));

  test('49-3 filters by name, label, port, namespace and readiness are in the address; a reload restores them', () =>
    browser.visit(server, {path: 'endpoints', as: 'viewer'}, async ({page}) => {
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
      const filter = page.getByRole('searchbox', {name: 'Filter endpoints'});
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
      await page.keyboard.type('10.20.1.12');
      await expect.poll(() => rowCount(page)).toBe(1);
      await filter.fill('team=');
      await page.getByRole('heading', {name: 'No endpoints match'}).waitFor();
      await page.keyboard.type('shop');
      await expect.poll(() => rowCount(page)).toBe(2);
      expect(await filter.inputValue()).toBe('team=shop');
      await page.keyboard.press('Enter');
      await page.getByRole('button', {name: 'Remove filter team=shop'}).waitFor();
      expect(await filter.inputValue()).toBe('');
      await expect.poll(() => rowCount(page)).toBe(2);
      await page.getByRole('checkbox', {name: 'Only failing'}).check();
      await expect.poll(() => rowCount(page)).toBe(1);
      const linked = page.url();
      await page.reload();
      await expect.poll(() => rowCount(page)).toBe(1);
      expect(page.url()).toBe(linked);
      expect(await page.getByRole('checkbox', {name: 'Only failing'}).isChecked()).toBe(true);
      await page.getByRole('button', {name: 'Remove filter team=shop'}).click();
      await expect.poll(() => rowCount(page)).toBe(2);
      await filter.fill(':9999');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', {name: 'No endpoints match'}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'endpoints-no-match');
      await page.goto(`${server.url}/console/endpoints?namespace=none-such`);
      await page.getByRole('heading', {name: 'No endpoints in this namespace'}).waitFor();
      await page.getByRole('button', {name: 'Clear filters'}).click();
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
    }));

  test('49-3 by keyboard: arrows move in the table, Enter opens the deep link of the set', () =>
    browser.visit(server, {path: 'endpoints?sort=name', as: 'viewer'}, async ({page}) => {
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
      await grid(page).focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('ArrowDown');
      const active = await grid(page).getAttribute('aria-activedescendant');
      const name = (await page.locator(`[id="${active}"]`).getByRole('link').innerText()).trim();
      await page.keyboard.press('Enter');
      await expect.poll(() => new URL(page.url()).pathname).toMatch(new RegExp(`^/console/endpoints/[a-z]+/${name}$`));
    }));

  test('49-3 at 375 px the list fits, with the namespaces under the names', () =>
    browser.visit(server, {path: 'endpoints', as: 'viewer', width: NARROW, theme: 'dark'}, async ({page}) => {
      await expect.poll(() => rowCount(page)).toBe(SEEDED.count);
      expect(await row(page, 'web').innerText()).toMatch(/web\s+shop\s/);
      await expect.poll(() => overflowOf(page)).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
    }));
});
