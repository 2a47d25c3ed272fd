// SPDX-License-Identifier: Apache-2.0
/** The rules page and the traffic page against a real server with real sensors and real traffic. */
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
import {EDGE, IDS_RULES, PARENT, seedIds} from './support/seed/ids.ts';
import {seedRoles} from './support/seed/kube.ts';

const why = whyNoBrowser ?? whyNot;

const rows = (page: Page, name: string) => page.getByRole('grid', {name}).getByRole('row');
const query = (page: Page): URLSearchParams => new URL(page.url()).searchParams;
const RULE_SET = `${PARENT}/ruleSets/default`;

describe.skipIf(why !== undefined)(`rules and traffic${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  const stateOf = async (id: string): Promise<string> => (await server.rest.get(`${RULE_SET}/rules/${id}`)).body.state;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      startConsoleServer({auth: 'tokens', sensors: true, rules: IDS_RULES}),
      openBrowser(),
    ]);
    await Promise.all([seedIds(server), seedRoles(server)]);
  });
  afterAll(() => Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]));

  test('49-3 rules are searched; markup stays text; refused ones have the reason as Suricata words it', () =>
    browser.visit(server, {path: 'rules', as: 'admin'}, async ({page}) => {
      await rows(page, 'Rules').nth(1).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'rules-list');
      await page.getByRole('searchbox').fill('hostile');
      await page.getByRole('button', {name: /^TEST <img/}).click();
      const panel = page.getByRole('complementary', {name: 'Rule 1:1000001'});
      await page.getByText(/^1 of \d+ rules$/).waitFor();
      await panel.getByText('content:"/hostile"').waitFor();
      await panel.getByText('has it').first().waitFor();
      await panel.getByRole('link', {name: '1 alert', exact: true}).waitFor();
      await expect.poll(() => query(page).get('q')).toBe('hostile');
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'rules-one');
      await page.reload();
      await panel.getByText('content:"/hostile"').waitFor();
      await page.goto(`${server.url}/console/rules`);
      await page.getByRole('button', {name: /^Refused|Refused 1$/}).click();
      await page.getByRole('button', {name: /TEST broken/}).click();
      await page
        .getByRole('complementary')
        .getByText(/no_such_keyword/)
        .first()
        .waitFor();
      await photograph(page, 'rules-refused');
      await page.goto(`${server.url}/console/rules?q=stat%3DACTIVE`);
      await page.getByText(/The filter is not used yet/).waitFor();
      await page.goto(`${server.url}/console/rules?q=nothing-like-this`);
      await page.getByText('No rules match').waitFor();
      await photograph(page, 'rules-none');
    }));

  test('49-3 a rule is disabled with the keyboard, Suricata reports it, and the page follows other users', () =>
    browser.visit(server, {path: 'rules?q=1000002', as: 'admin'}, async ({page}) => {
      const grid = page.getByRole('grid', {name: 'Rules'});
      await rows(page, 'Rules').nth(1).waitFor();
      await grid.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      await page.getByText('1 selected').waitFor();
      await page.getByRole('button', {name: 'Disable', exact: true}).press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', {name: 'Disable', exact: true}).press('Enter');
      await dialog.getByText(/Done\. \d+ rules loaded/).waitFor();
      await dialog.getByText('guard').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'rules-switched');
      expect(await stateOf('1:1000002')).toBe('DISABLED');
      await page.keyboard.press('Escape');
      await rows(page, 'Rules').getByText('Disabled', {exact: true}).waitFor();
      await page.getByText('None selected').waitFor();
      await server.rest.post(`${RULE_SET}/rules:switch`, {}, {reset: ['1:1000002']});
      await rows(page, 'Rules')
        .getByText(/Loaded$/)
        .waitFor();
    }));

  test('49-2 a user without the right reads which right is missing', () =>
    browser.visit(server, {path: 'rules?q=1000002', as: 'viewer', width: NARROW}, async ({page}) => {
      await rows(page, 'Rules').nth(1).click();
      const button = page.getByRole('complementary').getByRole('button', {name: 'Disable'});
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      await page
        .getByText(/ids\.rules\.update/)
        .first()
        .waitFor({state: 'attached'});
      await expect.poll(() => overflowOf(page)).toEqual([]);
    }));

  test('49-3 flows are filtered, grouped and exported, and one shows its threats and HTTP', () =>
    browser.visit(server, {path: 'traffic?range=all', as: 'admin'}, async ({page}) => {
      await rows(page, 'Traffic').nth(1).waitFor();
      await page.getByRole('img', {name: /^Flows, each bar/}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'traffic-list');
      await rows(page, 'Traffic')
        .nth(1)
        .getByRole('button', {name: /^Open the flow of/})
        .click();
      await page.getByRole('button', {name: 'Close flow'}).click();
      await rows(page, 'Traffic').nth(1).getByRole('button').nth(3).click();
      await page.getByRole('menuitem', {name: 'Include'}).click();
      await expect.poll(() => query(page).get('q')).toBe('ip_protocol=tcp');
      await page.getByRole('combobox', {name: 'Group by'}).selectOption('protocol');
      const group = rows(page, 'Traffic by protocol').nth(1);
      await group.getByText(/KiB|MiB/).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'traffic-groups');
      const download = page.waitForEvent('download');
      await page.getByRole('button', {name: 'Export'}).click();
      await page.getByRole('menuitem', {name: 'NDJSON'}).click();
      const lines = readFileSync(await (await download).path(), 'utf8')
        .trim()
        .split('\n');
      expect(new Set(lines.map(line => JSON.parse(line).ip_protocol))).toEqual(new Set(['tcp']));
      await page.goto(`${server.url}/console/traffic?range=all&q=source_ip_address%3D203.0.113.66`);
      await rows(page, 'Traffic').nth(1).waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      const panel = page.getByRole('complementary', {name: 'Flow'});
      await panel.getByRole('link', {name: /^TEST <img/}).waitFor();
      await panel.getByRole('heading', {name: 'HTTP'}).waitFor();
      await panel.getByText('Method', {exact: true}).waitFor();
      await panel.getByText('hostile.example').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
      // The table fits next to the panel.
      for (const width of [1024, 1280]) {
        await page.setViewportSize({width, height: 800});
        await expect.poll(() => overflowOf(page)).toEqual([]);
      }
      await photograph(page, 'traffic-flow');
      await page.reload();
      await panel.getByText('hostile.example').first().waitFor();
    }));

  test('49-3 without traffic logs the page says how to turn them on', () =>
    browser.visit(server, {path: `traffic?in=${EDGE}`, as: 'admin', width: NARROW}, async ({page}) => {
      await page.getByText('Traffic logs are off').waitFor();
      await page.getByRole('link', {name: 'edge'}).waitFor();
      await expect.poll(() => overflowOf(page)).toEqual([]);
      await photograph(page, 'traffic-off');
    }));
});
