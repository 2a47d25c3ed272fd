// SPDX-License-Identifier: Apache-2.0
/** The threats page against a real server with real sensors and real traffic. */
import {readFileSync} from 'node:fs';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {whyNot} from '../sensor/lab/lab.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {GUARD, IDS_RULES, seedIds, streamAlerts} from './support/seed/ids.ts';
import {seedRoles} from './support/seed/kube.ts';

const why = whyNoBrowser ?? whyNot;

const SCROLL_TOP = `document.querySelector('[role="grid"]').scrollTop`;
const HOSTILE_SOURCE = '203.0.113.66';
const grid = (page: Page) => page.getByRole('grid', {name: 'Threats', exact: true});
const rows = (page: Page) => grid(page).getByRole('row');
const row = (page: Page, text: string) => rows(page).filter({hasText: text});
const filterField = (page: Page) => page.getByRole('searchbox', {name: 'Filter threats'});
const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
const badge = (page: Page, text: string) => page.getByText(text, {exact: true});

describe.skipIf(why !== undefined)(`the threats page${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  let seeded: readonly Json[] = [];
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startConsoleServer({auth: 'tokens', sensors: true, rules: IDS_RULES}),
      openBrowser(),
    ]);
    [seeded] = await Promise.all([seedIds(server), seedRoles(server)]);
  });
  afterAll(() => Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]));

  const stored = async (filter: string): Promise<readonly Json[]> =>
    (await server.rest.get(`${GUARD}/threats`, {filter, pageSize: '1000'})).body?.threats ?? [];

  test('49-3 threats and their histogram are accessible, and markup in a message stays text', () =>
    browser.visit(server, {path: 'threats', as: 'admin'}, async ({page}) => {
      await row(page, HOSTILE_SOURCE).getByText('TEST <img').waitFor();
      const bars = page.getByRole('img', {name: /^Alerts by severity/});
      await bars.waitFor();
      expect(await bars.locator('.u-label').allTextContents()).toEqual(['Critical', 'High', 'Medium', 'Low', 'Info']);
      await badge(page, `${seeded.length} threats`).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-list');
    }));

  test('49-3 a click on a value includes, excludes or shows only it; a link and a fault in the filter', () =>
    browser.visit(server, {path: 'threats', as: 'admin'}, async ({page}) => {
      const choose = async (item: string): Promise<void> => {
        await row(page, HOSTILE_SOURCE).getByRole('button', {name: HOSTILE_SOURCE}).click();
        await page.getByRole('menuitem', {name: item}).waitFor();
        await photograph(page, 'threats-menu');
        await page.getByRole('menuitem', {name: item}).click();
      };
      await choose('Include');
      await badge(page, '1 threat').waitFor();
      expect(query(page).get('q')).toBe(`source_ip_address=${HOSTILE_SOURCE}`);
      const high = seeded.filter(({alert_severity: severity}) => ['HIGH', 'CRITICAL'].includes(severity)).length;
      const showHigh = async (): Promise<void> => {
        await filterField(page).fill('alert_severity>=HIGH');
        await page.waitForURL(/alert_severity/);
        // Rows that still come would move the one that is clicked.
        await expect.poll(() => grid(page).getAttribute('aria-rowcount')).toBe(`${high + 1}`);
      };
      await showHigh();
      await choose('Only this');
      await expect.poll(() => query(page).get('q')).toBe(`source_ip_address=${HOSTILE_SOURCE}`);
      await showHigh();
      await choose('Exclude');
      await row(page, HOSTILE_SOURCE).waitFor({state: 'detached'});
      expect(query(page).get('q')).toBe(`alert_severity>=HIGH AND NOT source_ip_address=${HOSTILE_SOURCE}`);
      const link = page.url();
      await filterField(page).fill('alert_severty=HIGH');
      await page.getByText(/did you mean alert_severity\?/).waitFor();
      await page.getByRole('checkbox', {name: 'Select all shown'}).click();
      const all = page.getByRole('button', {name: /^Select all .*that match/});
      expect(await all.getAttribute('aria-disabled')).toBe('true');
      const reason = await all.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${reason}"]`).textContent()).toBe('Correct the filter first');
      await photograph(page, 'threats-bad-filter');
      await filterField(page).fill('no-such-text');
      await page.getByText('No threats match').waitFor();
      await photograph(page, 'threats-none');
      await page.goto(link);
      await rows(page).nth(1).waitFor();
      expect(await row(page, HOSTILE_SOURCE).count()).toBe(0);
      expect(await filterField(page).inputValue()).toContain('NOT source_ip_address');
    }));

  test('49-3 groups have counts, and a click on one shows its threats', () =>
    browser.visit(server, {path: 'threats?group=source&q=TEST', as: 'admin'}, async ({page}) => {
      const groups = page.getByRole('grid', {name: 'Threats by source'});
      await groups.getByRole('row').filter({hasText: HOSTILE_SOURCE}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-groups');
      await groups.getByRole('button', {name: HOSTILE_SOURCE, exact: true}).click();
      await row(page, HOSTILE_SOURCE).waitFor();
      expect(query(page).get('group')).toBeNull();
      await page.goBack();
      await groups.waitFor();
    }));

  test('49-3 a row and a group by threat offer an exception, which is of one endpoint', () =>
    browser.visit(server, {path: 'threats?q=TEST', as: 'admin'}, async ({page}) => {
      const openMenu = async (name: string) => {
        const table = page.getByRole('grid', {name, exact: true});
        await table.getByRole('row').nth(1).waitFor();
        await table.focus();
        for (const key of ['ArrowDown', 'f']) await page.keyboard.press(key);
        return page.getByRole('menuitem', {name: /^Make an exception/});
      };
      await (await openMenu('Threats')).click();
      const dialog = page.getByRole('dialog', {name: 'Make an exception'});
      await dialog.getByText(/Would have hidden/).waitFor();
      await dialog.getByRole('button', {name: 'Cancel'}).click();
      await page.getByRole('combobox', {name: 'Group by'}).selectOption('threat');
      const item = await openMenu('Threats by threat');
      await item.getByText('Select one IDS endpoint first').waitFor();
      await page.goto(`${page.url()}&in=${GUARD}`);
      await (await openMenu('Threats by threat')).click();
      await dialog.getByText(/Would have hidden/).waitFor();
    }));

  test('49-3 threats appear without reload; below the top they are counted and move nothing', () =>
    browser.visit(server, {path: 'threats?q=threat_id%3D"1:1000002"', as: 'admin'}, async ({page}) => {
      await page.getByText('No threats match').waitFor();
      await streamAlerts(server, 40, 2_000);
      await row(page, '10.100.0.39').waitFor();
      await badge(page, '40 threats').waitFor();
      await page.evaluate(`${SCROLL_TOP} = 340`);
      await page.getByRole('grid', {name: 'Threats'}).getByRole('row').nth(12).waitFor();
      const seen = async () => {
        const one = rows(page).nth(12);
        return [await one.boundingBox(), /10\.100\.0\.\d+/.exec(await one.innerText())?.[0]];
      };
      const before = await seen();
      await streamAlerts(server, 60, 2_000);
      const more = page.getByRole('button', {name: /^\d+ new$/});
      await more.waitFor();
      await page.getByRole('button', {name: '20 new'}).waitFor();
      expect(await seen()).toEqual(before);
      await photograph(page, 'threats-new');
      await more.click();
      await row(page, '10.100.0.59').waitFor();
      expect(await page.evaluate(SCROLL_TOP)).toBe(0);
    }));

  test('49-3 selected threats are decided with the keyboard, and all that match with a count', () =>
    browser.visit(server, {path: 'threats?q=acknowledged%3Dfalse', as: 'admin'}, async ({page}) => {
      await rows(page).nth(1).waitFor();
      await grid(page).focus();
      for (const key of ['ArrowDown', ' ', 'ArrowDown', ' ']) await page.keyboard.press(key);
      await page.getByText('2 selected').waitFor();
      expect(query(page).getAll('mark')).toHaveLength(2);
      const before = (await stored('acknowledged=false')).length;
      await page.keyboard.press('a');
      await page.getByRole('dialog', {name: 'Acknowledge 2 threats?'}).waitFor();
      await page.keyboard.type('seen by two keys');
      await page.getByRole('button', {name: 'Acknowledge 2 threats'}).click();
      await page.getByText('2 threats acknowledged').waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')")).toBe('grid');
      expect((await stored('comments:"seen by two keys"')).length).toBe(2);
      expect((await stored('acknowledged=false')).length).toBe(before - 2);

      await page.getByRole('checkbox', {name: 'Select all shown'}).click();
      await page.getByRole('button', {name: /^Select all \d+ that match/}).click();
      await page.getByText(/^All \d+ threats that match/).waitFor();
      expect(query(page).get('all')).toBe('1');
      await page.getByRole('button', {name: 'Escalate', exact: true}).click();
      await page
        .getByText(`${before - 2} threats match the filter, including any that the table does not show.`)
        .waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'threats-decide');
      await page.getByRole('button', {name: `Escalate ${before - 2} threats`}).click();
      await page.getByText(`${before - 2} threats escalated`).waitFor();
      expect((await stored('escalated=true')).length).toBe(before - 2);
      await rows(page).filter({hasText: 'Escalated'}).first().waitFor();
      await photograph(page, 'threats-decided');
    }));

  test('49-3 an export is exactly what is filtered', () =>
    browser.visit(server, {path: 'threats?q=alert_severity%3DHIGH', as: 'viewer'}, async ({page}) => {
      await rows(page).nth(1).waitFor();
      const file = page.waitForEvent('download');
      await page.getByRole('button', {name: 'Export'}).click();
      await page.getByRole('menuitem', {name: 'NDJSON'}).click();
      const lines = readFileSync(await (await file).path(), 'utf8')
        .trim()
        .split('\n')
        .map(line => JSON.parse(line).id);
      expect(lines.toSorted()).toEqual((await stored('alert_severity=HIGH')).map(({id}) => id).toSorted());
      expect(lines.length).toBeGreaterThan(0);
    }));

  test('49-3 a user without the right reads which one is missing; without any, what the server says', async () => {
    await browser.visit(server, {path: 'threats', as: 'viewer', width: NARROW}, async ({page}) => {
      await rows(page).nth(1).waitFor();
      await rows(page).nth(1).getByRole('checkbox').click();
      const button = page.getByRole('button', {name: 'Acknowledge', exact: true});
      await page.getByText('1 selected').waitFor();
      const reason = await button.getAttribute('aria-describedby');
      expect(await page.locator(`[id="${reason}"]`).textContent()).toContain('ids.threats.update');
      await expect.poll(() => overflowOf(page)).toEqual([]);
    });
    await browser.visit(server, {path: 'threats', as: 'nobody', allow: [/403/]}, async ({page}) => {
      await page.getByRole('alert').filter({hasText: 'ids.threats.list'}).waitFor();
      await page.getByRole('textbox', {name: 'Project'}).waitFor();
      await photograph(page, 'threats-refused');
    });
  });

  test('49-3 a drag over the histogram narrows the time, and the keyboard filters', () =>
    browser.visit(server, {path: 'threats?range=15m', as: 'admin', theme: 'dark'}, async ({page}) => {
      await rows(page).nth(1).waitFor();
      const chart = page.getByRole('img', {name: /^Alerts by severity/});
      const box = await chart.boundingBox();
      if (box === null) throw new Error('the histogram is not visible');
      const y = box.y + 40;
      await page.mouse.move(box.x + box.width * 0.2, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.5, y, {steps: 4});
      await page.mouse.up();
      await badge(page, 'Fixed time').waitFor();
      expect(Date.parse(query(page).get('to') ?? '')).toBeGreaterThan(Date.parse(query(page).get('from') ?? ''));
      await page.goBack();
      await page.getByRole('button', {name: 'Pause'}).waitFor();
      await rows(page).nth(1).waitFor();
      await grid(page).focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('f');
      await page.getByRole('menuitem', {name: /^Severity/}).press('ArrowRight');
      await page.getByRole('menuitem', {name: 'Exclude'}).press('Enter');
      await page.waitForURL(/q=NOT\+alert_severity/);
      await page.getByRole('button', {name: 'How to search'}).click();
      await page.getByRole('dialog', {name: 'Search threats'}).waitFor();
      expect(await violationsOf(page, '[role=dialog]')).toEqual([]);
      await photograph(page, 'threats-help');
    }));
});
