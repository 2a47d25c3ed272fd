// SPDX-License-Identifier: Apache-2.0
/** Sign-in, sign-out and what surrounds every page, in a real browser against a real server. */
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {HOSTILE} from './support/hostile.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';

const REFUSED = /status of 401/;

describe.skipIf(whyNoBrowser !== undefined)(`sign-in and the frame of all pages${noBrowserReason}`, () => {
  let browser: ConsoleBrowser;
  let secured: ConsoleServer;
  let open: ConsoleServer;
  beforeAll(async () => {
    [browser, secured, open] = await Promise.all([
      openBrowser(),
      startConsoleServer({auth: 'tokens'}),
      startConsoleServer({auth: 'none'}),
    ]);
  });
  afterAll(() => Promise.all([browser, secured, open].map(each => each?.[Symbol.asyncDispose]())));

  const enter = async (page: Page, token: string): Promise<void> => {
    await page.getByLabel('Token').fill(token);
    await page.keyboard.press('Enter');
  };
  const account = (page: Page, user: string) => page.getByRole('button', {name: `Account of ${user}`});

  test('49-2 a wrong token is refused in words; the right one opens the linked page with its filters', () =>
    browser.visit(secured, {path: 'endpoints?q=web&failing=true', allow: [REFUSED]}, async ({page}) => {
      await page.getByRole('heading', {name: 'Sign in'}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'sign-in');
      await enter(page, 'no-such-token');
      const field = page.getByLabel('Token');
      await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.locator('main').innerText()).toMatch(/token .*(not|unknown|invalid|refused)/i);
      await photograph(page, 'sign-in-refused');
      await enter(page, secured.tokens.admin);
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      expect(new URL(page.url()).search).toBe('?q=web&failing=true');
      expect(await page.getByRole('searchbox').inputValue()).toBe('web');
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('token');
    }));

  test('49-2 sign-out ends the session on the server, and the old cookie opens nothing', () =>
    browser.visit(secured, {path: 'endpoints', as: 'admin', allow: [REFUSED]}, async ({page, context}) => {
      await account(page, 'admin').click();
      const cookies = await context.cookies();
      await page.getByRole('menuitem', {name: 'Sign out'}).click();
      await page.getByRole('heading', {name: 'Sign in'}).waitFor();
      expect(await context.cookies()).toEqual([]);
      await context.addCookies(cookies);
      expect((await context.request.get(`${secured.url}/api/v1/endpoints`)).status()).toBe(401);
      await page.reload();
      await page.getByRole('heading', {name: 'Sign in'}).waitFor();
    }));

  test('49-2 with --auth none the console opens at once, without a cookie', () =>
    browser.visit(open, {path: 'endpoints'}, async ({page, context}) => {
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      expect(await context.cookies()).toEqual([]);
      await page.getByRole('button', {name: /^Account of /}).click();
      const signOut = page.getByRole('menuitem', {name: 'Sign out'});
      expect(await signOut.getAttribute('aria-disabled')).toBe('true');
    }));

  test('49-2 a user whose name is markup is shown as text', () =>
    browser.visit(secured, {path: 'endpoints', as: 'hostile'}, async ({page}) => {
      await account(page, HOSTILE).waitFor();
      expect(await account(page, HOSTILE).innerText()).toBe(HOSTILE);
    }));

  test('49-2 a user without the right to list reads which right is missing', () =>
    browser.visit(secured, {path: 'endpoints', as: 'nobody', allow: [/status of 403/]}, async ({page}) => {
      await expect.poll(() => page.getByRole('alert').innerText()).toMatch(/cannot list resource "endpoints"/);
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'endpoints-forbidden');
    }));

  test('49-3 the theme follows the system until one is chosen, which survives a reload', () =>
    browser.visit(open, {path: 'endpoints', theme: 'dark'}, async ({page}) => {
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const dark = await background();
      await page.emulateMedia({colorScheme: 'light'});
      await expect.poll(background).not.toBe(dark);
      await page.getByRole('button', {name: 'Theme'}).click();
      await page.getByRole('menuitemradio', {name: 'Dark'}).click();
      await expect.poll(background).toBe(dark);
      await page.reload();
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      expect(await background()).toBe(dark);
      expect(await violationsOf(page)).toEqual([]);
    }));

  test('49-3 by keyboard alone: skip link, navigation, menus, help; the focus is always seen and comes back', () =>
    browser.visit(open, {path: 'endpoints'}, async ({page}) => {
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      const focused = (): Promise<string> =>
        page.evaluate(
          "(e => e.getAttribute('aria-label') ?? (e.labels?.[0] ?? e).textContent.trim())(document.activeElement)",
        );
      const outline = (): Promise<string> =>
        page.evaluate(
          "(s => s.outlineStyle !== 'none' || s.boxShadow !== 'none' ? 'seen' : 'not seen')(getComputedStyle(document.activeElement))",
        );
      await page.keyboard.press('Tab');
      expect(await focused()).toBe('Skip to the page');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('page');
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', {name: 'Keyboard shortcuts'});
      await help.getByRole('heading', {level: 3}).first().waitFor();
      expect(await help.getByRole('heading', {level: 3}).allTextContents()).toEqual([
        ...['In every table', 'In the filter', 'Everywhere'],
      ]);
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'keyboard-help');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({state: 'detached'});
      const names = new Set<string>();
      for (let i = 0; i < 30; i++) {
        await page.keyboard.press('Tab');
        const name = await focused();
        if (name.startsWith('Account of')) {
          await page.keyboard.press('Enter');
          await page.getByRole('menu').waitFor();
          await page.keyboard.press('Escape');
          await page.getByRole('menu').waitFor({state: 'detached'});
          await expect.poll(focused).toBe(name);
        }
        if (await page.evaluate<boolean>('document.activeElement !== document.body')) {
          names.add(name);
          expect([name, await outline()]).toEqual([name, 'seen']);
        }
      }
      const wanted = ['Keyboard shortcuts', 'Theme', 'Account of', 'Endpoints', 'Filter endpoints', 'Only failing'];
      for (const name of wanted) expect([...names].join('\n')).toContain(name);
    }));

  test('49-3 at 375 px nothing scrolls sideways, and the navigation opens and closes', () =>
    browser.visit(secured, {path: 'endpoints', as: 'admin', width: NARROW}, async ({page}) => {
      const navigation = page.getByRole('navigation', {name: 'Pages'});
      await page.getByRole('button', {name: 'Open navigation'}).click();
      await navigation.getByRole('link', {name: 'Endpoints', exact: true}).waitFor();
      await expect.poll(() => overflowOf(page)).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'navigation-open');
      await page.getByRole('button', {name: 'Close navigation'}).click();
      await navigation.waitFor({state: 'hidden'});
      await expect.poll(() => overflowOf(page)).toEqual([]);
      // A dialog that does not fit scrolls, with the keyboard too: nothing else in this one takes the focus.
      await page.setViewportSize({width: NARROW, height: 300});
      await page.getByRole('button', {name: 'Keyboard shortcuts'}).click();
      await page.getByRole('dialog').getByRole('region', {name: 'Keyboard shortcuts'}).waitFor();
      expect(await violationsOf(page, '[role=dialog]')).toEqual([]);
      await page.goto(`${secured.url}/console/no-such-page`);
      await page.getByRole('heading', {name: 'Page not found', level: 1}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }));
});
