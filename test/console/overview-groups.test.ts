// SPDX-License-Identifier: Apache-2.0
/** The overview and the pages of groups, against a real server with sensors, alerts and checks of real web servers. */
import type {Locator, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {whyNot} from '../sensor/lab/lab.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {HOSTILE} from './support/hostile.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {SEEDED_GROUPS, seedGroups} from './support/seed/groups.ts';
import {IDS_RULES, seedIds} from './support/seed/ids.ts';
import {seedKube, seedRoles} from './support/seed/kube.ts';
import {showTheme, THEMES} from './support/theme.ts';

const why = whyNoBrowser ?? whyNot;
const REGISTRATIONS = '/apis/platform.io/v1alpha1/namespaces/default/endpointregistrations';

describe.skipIf(why !== undefined)(`overview and groups${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  let web: Disposable | undefined;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startConsoleServer({auth: 'tokens', sensors: true, rules: IDS_RULES}),
      openBrowser(),
    ]);
    [web] = await Promise.all([seedGroups(server), seedIds(server), seedKube(server), seedRoles(server)]);
  });
  afterAll(async () => {
    web?.[Symbol.dispose]();
    await Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]);
  });

  const attention = (page: Page): Locator => page.getByRole('list', {name: 'Needs attention'}).getByRole('listitem');
  const members = (page: Page): Locator => page.getByRole('grid', {name: 'Members'}).getByRole('row');
  const queryOf = (page: Page): Record<string, string> => Object.fromEntries(new URL(page.url()).searchParams);

  test('49-3 the overview lists what needs attention by urgency, live, with alerts by hour that open their threats', () =>
    browser.visit(server, {as: 'admin'}, async ({page}) => {
      await attention(page).filter({hasText: 'payments/api'}).waitFor();
      await attention(page).filter({hasText: 'critical threat'}).waitFor();
      await page.getByText('shop/local/guard').waitFor();
      await attention(page)
        .filter({hasText: `Checks fail at ${SEEDED_GROUPS.silent}`})
        .waitFor();
      const down = (await attention(page).allInnerTexts()).findIndex(text => text.includes('payments/api'));
      const checks = (await attention(page).allInnerTexts()).findIndex(text => text.includes('Checks fail'));
      expect(down).toBeLessThan(checks);
      for (const theme of THEMES) {
        await showTheme(page, theme);
        expect(await violationsOf(page)).toEqual([]);
      }
      await photograph(page, 'overview');
      await server.rest.delete('/api/v1/namespaces/payments/endpoints/api');
      await attention(page).filter({hasText: 'payments/api'}).waitFor({state: 'detached'});
      await page.getByRole('group', {name: 'Alerts by hour'}).getByRole('link').last().focus();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/console\/threats/);
      expect(Date.parse(queryOf(page)['to'] ?? '') - Date.parse(queryOf(page)['from'] ?? '')).toBe(3_600_000);
      await page.goBack();
      await page.getByRole('group', {name: 'Alerts by hour'}).locator('[data-severity="CRITICAL"]').last().click();
      await page.waitForURL(/alert_severity/);
      expect(queryOf(page)['q']).toBe('alert_severity=CRITICAL');
    }));

  test('49-3 what may not be read says so, the rest stays; the chosen project is in the address and kept', () =>
    browser.visit(server, {as: 'nobody', allow: [/status of 403/]}, async ({page}) => {
      await page
        .getByText(/cannot list resource "endpoints"/i)
        .first()
        .waitFor();
      await page
        .getByText(/ids\.endpoints\.list/)
        .first()
        .waitFor();
      await photograph(page, 'overview-refused');
      const project = page.getByRole('textbox', {name: 'Project'});
      await project.fill('shop/local');
      await project.press('Enter');
      await page.waitForURL(/project=shop(%2F|\/)local/);
      await page.goto(`${server.url}/console/`);
      await page.waitForURL(/project=shop(%2F|\/)local/);
      expect(await project.inputValue()).toBe('shop/local');
      await page.getByRole('link', {name: 'Traffic'}).click();
      await page.waitForURL(url => url.searchParams.get('in') === 'projects/shop/locations/local/endpoints/-');
      await page.getByRole('link', {name: 'Rules'}).click();
      await page.waitForURL(/rules\?project=shop(%2F|\/)local/);
    }));

  test('49-3 a group shows its members with their checks, fresh without a reload; a member opens by keyboard and by its address', () =>
    browser.visit(server, {path: 'groups', as: 'viewer'}, async ({page}) => {
      await page.getByRole('row', {name: /checked.*2\/3/}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'groups');
      await page.getByRole('link', {name: SEEDED_GROUPS.checked, exact: true}).click();
      const silent = members(page).filter({hasText: SEEDED_GROUPS.silent});
      await silent.getByText('Not ready').waitFor();
      const history = (): Promise<string | null> => silent.getByRole('img').getAttribute('aria-label');
      const before = await history();
      expect(before).toMatch(/failed/);
      await expect.poll(history, {timeout: 10_000}).not.toBe(before);
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'group');
      await page.getByLabel('Only failing').check();
      await expect.poll(() => members(page).count()).toBe(2);
      await page.getByRole('grid', {name: 'Members'}).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog', {name: SEEDED_GROUPS.silent});
      await dialog.getByText('Last error:').waitFor();
      await page.reload();
      await dialog.getByText('Last error:').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'group-member');
      await page.keyboard.press('Escape');
      await dialog.waitFor({state: 'detached'});
      expect(queryOf(page)).toEqual({failing: '1'});
      await page.getByRole('link', {name: /Endpoints default\/checked/}).waitFor();
    }));

  test('49-3 registrations come live, and markup in them stays text', () =>
    browser.visit(server, {path: 'groups?tab=registrations', as: 'viewer', width: NARROW}, async ({page}) => {
      await page.getByRole('row', {name: SEEDED_GROUPS.registration}).waitFor();
      const hostile = {
        metadata: {name: 'by-hostile'},
        spec: {group: SEEDED_GROUPS.unchecked, addresses: ['192.0.2.21'], draining: true},
      };
      const token = {authorization: `Bearer ${server.tokens.hostile}`, 'content-type': 'application/json'};
      const url = `${server.rest.url}${REGISTRATIONS}`;
      expect((await fetch(url, {method: 'POST', headers: token, body: JSON.stringify(hostile)})).status).toBe(201);
      await page.getByRole('row', {name: /by-hostile.*Draining/}).waitFor();
      await expect.poll(() => overflowOf(page)).toEqual([]);
      await page.setViewportSize({width: 1280, height: 800});
      await page.getByText(HOSTILE).waitFor();
      await photograph(page, 'registrations');
      await page.goto(`${server.url}/console/groups/default/${SEEDED_GROUPS.unchecked}`);
      await members(page).filter({hasText: '192.0.2.21'}).getByText('Draining').click();
      await page.getByRole('dialog').getByText(`of user ${HOSTILE}`).waitFor();
      await page.goto(`${server.url}/console/groups/default/none-such`);
      await page.getByText('There is no such group').waitFor();
      await photograph(page, 'group-missing');
    }));
});
