// SPDX-License-Identifier: Apache-2.0
/** The threats page against a real server with real sensors and real traffic. */
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {whyNot} from '../sensor/lab/lab.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {EDGE, GUARD, IDS_RULES, seedIds, streamAlerts} from './support/seed/ids.ts';
import {seedRoles} from './support/seed/kube.ts';

const why = whyNoBrowser ?? whyNot;

const rows = (page: Page) => page.getByRole('grid', {name: 'Threats'}).getByRole('row');
const firstRow = (page: Page) => rows(page).nth(1);
const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

describe.skipIf(why !== undefined)(`the threats page${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startConsoleServer({auth: 'tokens', sensors: true, rules: IDS_RULES}),
      openBrowser(),
    ]);
    await Promise.all([seedIds(server), seedRoles(server)]);
  });
  afterAll(() => Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]));

  test('49-3 threats, their histogram and markup in their messages: accessible, and text', () =>
    browser.visit(server, {path: 'threats', as: 'admin'}, async ({page}) => {
      await firstRow(page).waitFor();
      await page.getByRole('img', {name: /^Alerts by severity/}).waitFor();
      await page.getByText('TEST <img').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-list');
      await firstRow(page).hover();
      await firstRow(page).getByRole('button', {name: '203.0.113.66'}).click();
      await page.getByRole('menuitem', {name: 'Exclude'}).waitFor();
      await photograph(page, 'threats-menu');
      await page.keyboard.press('Escape');
      await page.getByRole('button', {name: 'How to search'}).click();
      await photograph(page, 'threats-help');
      await page.keyboard.press('Escape');
      await page.goto(`${server.url}/console/threats?group=threat`);
      await page.getByRole('grid', {name: 'Threats by threat'}).getByRole('row').nth(1).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-groups');
      await page.goto(`${server.url}/console/threats?q=alert_severty%3DHIGH`);
      await page.getByText(/did you mean/).waitFor();
      await photograph(page, 'threats-bad-filter');
      await page.goto(`${server.url}/console/threats?q=nothing-like-this`);
      await page.getByText('No threats match').waitFor();
      await photograph(page, 'threats-none');
      await page.goto(`${server.url}/console/threats?all=1`);
      await page.getByText(/that match/).waitFor();
      await page.getByRole('button', {name: 'Acknowledge'}).click();
      await page.getByText(/of them change/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-decide');
    }));
});
void [readFileSync, NARROW, overflowOf, EDGE, GUARD, streamAlerts, query];
