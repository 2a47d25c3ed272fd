// SPDX-License-Identifier: Apache-2.0
/** The pages of IDS endpoints against a server with real sensors and real traffic. */
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {whyNot} from '../sensor/lab/lab.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser, type VisitOptions} from './support/browser.ts';
import {whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {HOSTILE} from './support/hostile.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {EDGE, GUARD, IDS_RULES, seedIds} from './support/seed/ids.ts';
import {seedRoles} from './support/seed/kube.ts';

const why = whyNoBrowser ?? whyNot;
/** The server refuses what is wrong on purpose, and no longer knows what was deleted; the browser logs both. */
const REFUSED = {allow: [/status of 40[04]/]};
const TABS = ['Overview', 'Rules', 'Exceptions', 'Mirroring', 'History'];

describe.skipIf(why !== undefined)(`IDS endpoints${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
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

  const visit = (path: string, act: (page: Page) => Promise<void>, options: VisitOptions = {}): Promise<void> =>
    browser.visit(server, {path, as: 'admin', ...options}, ({page}) => act(page));
  const one = (id: string, query = ''): string => `ids/endpoints/shop/local/${id}${query}`;
  const rowOf = (page: Page, id: string) => page.getByRole('row', {name: new RegExp(`^${id} `)});
  const field = (page: Page, label: string) => page.getByLabel(label, {exact: true});

  test('49-3 the list shows health, loss and alerts, filters in its address, and opens with the keyboard', () =>
    visit('ids/endpoints', async page => {
      await rowOf(page, 'guard').getByText('Healthy').waitFor();
      await rowOf(page, 'guard')
        .getByRole('link', {name: /Critical [1-9]/})
        .waitFor();
      await rowOf(page, 'edge').getByText('Healthy').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'list');
      await page.getByRole('searchbox').fill('team=shop');
      await rowOf(page, 'edge').waitFor({state: 'detached'});
      expect(new URL(page.url()).search).toBe('?q=team%3Dshop');
      await page.reload();
      await rowOf(page, 'guard').waitFor();
      expect(await rowOf(page, 'edge').count()).toBe(0);
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', {name: 'guard', level: 1}).waitFor();
    }));

  test('49-3 an endpoint shows health, charts, rules, mirror set-up and history; hostile texts stay texts', () =>
    visit(one('guard'), async page => {
      await page.getByText(HOSTILE).waitFor();
      await page.getByRole('img', {name: /Packets a second from .*Packets\/s: \d/}).waitFor();
      await page
        .getByText('All mirrored traffic was inspected.')
        .or(page.getByRole('list', {name: /Times without/}))
        .waitFor();
      for (const tab of TABS) {
        await page.getByRole('tab', {name: tab}).click();
        if (tab === 'Rules') await page.getByRole('row', {name: /1:9000206/}).waitFor();
        if (tab === 'Mirroring')
          await page
            .getByText(/^ip link add/)
            .first()
            .waitFor();
        if (tab === 'History') await page.getByRole('row', {name: /Creation.*Done/}).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await page.setViewportSize({width: NARROW, height: 800});
        await expect.poll(() => overflowOf(page)).toEqual([]);
        await page.setViewportSize({width: 1280, height: 800});
        await photograph(page, `guard-${tab.toLowerCase()}`);
      }
      await page.goto(`${server.url}/console/${one('guard', '?tab=rules&rules=REFUSED&q=broken')}`);
      const broken = page.getByRole('row', {name: /1:1000003.*TEST broken.*Refused/});
      await broken.waitFor();
      expect(await broken.textContent()).toContain('no_such_keyword');
      await photograph(page, 'guard-rules-refused');
    }));

  test('49-3 create names all faults at once, shows its progress at its own address, and deletion needs the name', () =>
    visit(
      'ids/endpoints?create=1',
      async page => {
        const dialog = page.getByRole('dialog', {name: 'Create IDS endpoint'});
        await field(page, 'Name').fill('Not-Valid');
        await field(page, 'Network').fill('no/such network');
        await field(page, 'Labels').fill('Team=shop');
        await field(page, 'Threat exceptions').fill(`1:1, ${'x'.repeat(257)}`);
        await dialog.getByRole('button', {name: 'Create endpoint'}).click();
        await dialog.getByText(/is not the name of a network: use NAME/).waitFor();
        await dialog.getByText(/"Team": the key must start with a lowercase letter/).waitFor();
        await dialog.getByText(/must be no longer than 256 characters/).waitFor();
        expect(await field(page, 'Name').getAttribute('aria-invalid')).toBe('true');
        expect(await violationsOf(page)).toEqual([]);
        await photograph(page, 'create-faults');
        await field(page, 'Name').fill('fresh');
        await field(page, 'Network').fill('prod');
        await field(page, 'Labels').fill('team=shop');
        await field(page, 'Threat exceptions').fill('');
        await dialog.getByRole('button', {name: 'Create endpoint'}).click();
        await page.getByRole('status').filter({hasText: 'Creating'}).waitFor();
        await photograph(page, 'creating');
        await page.reload();
        await page.getByText('Healthy').first().waitFor();
        await page.getByRole('button', {name: 'Delete'}).click();
        await page.getByLabel('Type fresh to confirm').fill('fresh');
        expect(await violationsOf(page)).toEqual([]);
        await photograph(page, 'delete');
        await page.keyboard.press('Enter');
        await page.getByText('IDS endpoint fresh deleted').waitFor();
        await page.getByRole('heading', {name: 'IDS endpoints'}).waitFor();
        await photograph(page, 'gone');
      },
      REFUSED,
    ));

  test('49-3 settings change in place, a refused change keeps the old value, and exceptions come with a preview', () =>
    visit(
      one('edge'),
      async page => {
        await page.getByRole('button', {name: 'Change severity'}).click();
        await page.getByLabel('Severity', {exact: true}).selectOption('MEDIUM');
        await page.getByRole('button', {name: 'Save'}).click();
        await page.getByText('Severity changed').waitFor();
        expect((await server.rest.get(EDGE)).body.severity).toBe('MEDIUM');
        await page.getByRole('button', {name: 'Change labels'}).click();
        await page.getByLabel('Labels', {exact: true}).fill('Bad key=1');
        await page.getByRole('button', {name: 'Save'}).click();
        await page.getByText(/The old value is still in force/).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await photograph(page, 'change-refused');
        await page.keyboard.press('Escape');
        await page.getByText('No labels').waitFor();
        await page.getByRole('tab', {name: 'Exceptions'}).click();
        await page.getByText('1:9000103', {exact: true}).waitFor();
        await page.getByLabel('Threat ID').fill('abc');
        await page.keyboard.press('Enter');
        await page.getByText('"abc" is not a threat id and matches nothing: use gid:sid or sid').waitFor();
        await page.getByLabel('Threat ID').fill('1:9000206');
        await page.getByText(/stored alerts to try it with/).waitFor();
        await page.getByRole('button', {name: 'Add exception'}).click();
        await page.getByRole('button', {name: 'Remove exception 1:9000206'}).click();
        await photograph(page, 'remove-exception');
        await page.getByRole('dialog').getByRole('button', {name: 'Remove exception'}).click();
        await page.getByText('Exception 1:9000206 removed').waitFor();
        expect((await server.rest.get(EDGE)).body.threatExceptions).toEqual(['1:9000103']);
        await page.getByRole('tab', {name: 'History'}).click();
        await page.getByRole('row', {name: /Update.*Exception 1:9000206 removed/}).waitFor();
      },
      REFUSED,
    ));

  test('49-3 buttons say which permission is missing, and a change of others appears without reload', () =>
    visit(
      one('guard'),
      async page => {
        await page.getByRole('button', {name: 'Delete'}).hover();
        await page.getByRole('tooltip', {name: /You lack the permission ids.endpoints.delete/}).waitFor();
        expect(await page.getByRole('button', {name: 'Change severity'}).getAttribute('aria-disabled')).toBe('true');
        await photograph(page, 'viewer');
        const {body} = await server.rest.patch(GUARD, {updateMask: 'description'}, {description: 'Set by others'});
        await server.rest.done(body);
        await page.getByText('Set by others').waitFor();
      },
      {as: 'viewer', theme: 'dark'},
    ));
});
