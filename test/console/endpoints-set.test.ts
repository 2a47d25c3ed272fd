// SPDX-License-Identifier: Apache-2.0
/** The page of one set of endpoints. */
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {HOSTILE} from './support/hostile.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {SEEDED, seedKube, seedRoles} from './support/seed/kube.ts';
import {sender} from './support/seed/sender.ts';

const WEB = '/api/v1/namespaces/shop/endpoints/web';
const SILENT = '192.0.2.13';
/** Composed of one member that never answers; its checks fail at once or after a second. */
const GROUP = {
  apiVersion: 'platform.io/v1alpha1',
  kind: 'EndpointGroup',
  metadata: {name: 'silent'},
  spec: {
    members: [{ip: SILENT}],
    ports: [{name: 'http', port: 81, check: {tcpSocket: {}, periodSeconds: 1, timeoutSeconds: 1, failureThreshold: 1}}],
  },
};
const path = (name: string, query = '', namespace = 'shop'): string => `endpoints/${namespace}/${name}${query}`;
const editorOf = (page: Page) => page.getByRole('textbox', {name: /^YAML of/});

describe.skipIf(whyNoBrowser !== undefined)(`the page of one set${noBrowserReason}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startConsoleServer({auth: 'tokens'}), openBrowser()]);
    await Promise.all([seedKube(server), seedRoles(server)]);
    await sender(server)('POST', '/apis/platform.io/v1alpha1/namespaces/shop/endpointgroups', GROUP);
  });
  afterAll(() => Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]));
  const patch = (body: object): Promise<unknown> => sender(server)('PATCH', WEB, body, {fieldManager: 'other-client'});

  test('49-3 members: ready, ports and a filter in the address, live without reload, at 375 px too', () =>
    browser.visit(server, {path: path('web', '?q=node-14&failing=1'), as: 'admin', width: NARROW}, async ({page}) => {
      await page.getByRole('row').nth(1).waitFor(); // the heading is there while the set is read
      expect(await page.getByRole('row').allInnerTexts()).toEqual([
        expect.stringContaining('Address'),
        expect.stringMatching(/10\.20\.1\.14[\s\S]*Not ready/),
      ]);
      await expect.poll(() => overflowOf(page)).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('searchbox').press('Escape');
      await page.getByText('3/4').waitFor();
      const ready = [11, 12, 13, 14].map(last => ({ip: `10.20.1.${last}`, hostname: `node-${last}`}));
      await patch({subsets: [{addresses: ready, ports: [{name: 'http', port: 8080, protocol: 'TCP'}]}]});
      await page.getByText('4/4').waitFor();
      await page.getByText('No members match').waitFor();
      await page.getByRole('button', {name: 'Clear filters'}).click();
      await page.getByRole('grid', {name: 'Members'}).press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', {name: /^10\.20\.1\.11 http:8080/}).waitFor();
      expect(page.url()).toContain('open=10.20.1.11');
      await photograph(page, 'set-member');
      await page.goto(`${server.url}/console/${path('web', '?tab=deletion')}`);
      const tab = await page.getByRole('tab', {name: 'Deletion', selected: true}).boundingBox();
      expect((tab?.x ?? NARROW) + (tab?.width ?? 0)).toBeLessThanOrEqual(NARROW);
    }));

  test('49-3 members of a group: since when, why, and the last checks as squares with a text', () =>
    browser.visit(server, {path: path('silent'), as: 'viewer'}, async ({page}) => {
      const row = page.getByRole('row', {name: new RegExp(SILENT)});
      await row.getByRole('img', {name: /^last \d+ checks: \d+ failed; the last one failed: \d\d:\d\d:\d\d/}).waitFor();
      expect(await row.getByRole('time').count()).toBe(1);
      await row.click();
      await page.getByRole('dialog').getByRole('listitem').first().getByText('Failed').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-checks');
      await page.keyboard.press('Escape');
      await photograph(page, 'set-group');
      await page.getByRole('tab', {name: 'YAML'}).click();
      await page.getByRole('heading', {name: 'The group silent composes this set'}).waitFor();
      await page.getByText('kubectl edit endpointgroup silent --namespace shop').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('link', {name: 'the group silent', exact: true}).click();
      await page.getByRole('heading', {name: 'silent', level: 1}).waitFor();
      expect(page.url()).toContain('/groups/shop/silent');
    }));

  test('49-3 slices and events belong to the set; another event appears by itself', () =>
    browser.visit(server, {path: path('web', '?tab=slices'), as: 'viewer'}, async ({page}) => {
      await page.getByRole('row', {name: /^web-.*IPv4/}).waitFor();
      await page.getByRole('tab', {name: 'Events'}).click();
      await page.getByRole('row', {name: /Warning MemberNotReady/}).waitFor();
      await sender(server)('POST', '/api/v1/namespaces/shop/events', {
        metadata: {generateName: 'web-'},
        involvedObject: {kind: 'Endpoints', name: 'web', namespace: 'shop'},
        ...{type: 'Normal', reason: 'Drained', message: HOSTILE, lastTimestamp: new Date().toISOString()},
      });
      await page.getByRole('row', {name: /Normal Drained <img/}).waitFor();
      await photograph(page, 'set-events');
    }));

  test('49-3 YAML: all faults at their lines, then the diff of a dry run, then saved', () =>
    browser.visit(server, {path: path('cart', '?tab=yaml'), as: 'admin', allow: [/status of 422/]}, async ({page}) => {
      const editor = editorOf(page);
      const text = await editor.inputValue();
      expect(text).not.toContain('managedFields');
      const lineOf = (part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;
      await editor.fill(text.replace('ip: 10.20.2.2', 'ip: nonsense').replace('port: 8080', 'port: 70000'));
      await editor.press('Control+Enter');
      await page.getByRole('heading', {name: '2 problems'}).waitFor();
      for (const part of ['ip: 10.20.2.2', 'port: 8080'])
        await page
          .getByRole('button', {name: `line ${lineOf(part)}`, exact: true})
          .first()
          .waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-problems');
      await editor.fill(text.replace('team: shop', 'team: cart').replace('ip: 10.20.2.2', 'ip: 2001:DB8::5'));
      await page.getByRole('button', {name: 'Review changes'}).click();
      const dialog = page.getByRole('dialog', {name: 'Changes to shop/cart'});
      await dialog.getByText('team: cart').waitFor();
      await dialog.getByRole('heading', {name: 'The server warns'}).waitFor();
      expect((await server.rest.get('/api/v1/namespaces/shop/endpoints/cart')).body.metadata.labels.team).toBe('shop');
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-review');
      await dialog.getByRole('button', {name: 'Save'}).click();
      await page.getByText('Saved shop/cart').waitFor();
      await page.getByText(/^Warning: subsets\[0\]\.addresses\[\d\]\.ip: /).waitFor();
      await page.getByRole('link', {name: 'team=cart'}).waitFor();
    }));

  test('49-3 YAML: a change of another client is announced, the conflict is worded by the server, both can be merged', () =>
    browser.visit(server, {path: path('web', '?tab=yaml'), as: 'admin', allow: [/status of 409/]}, async ({page}) => {
      const editor = editorOf(page);
      await editor.fill((await editor.inputValue()).replace('tier: front', 'tier: edge'));
      await patch({metadata: {labels: {release: 'r2'}}});
      await page.getByRole('heading', {name: 'The object has changed meanwhile'}).waitFor();
      await page.getByRole('button', {name: 'Review changes'}).click();
      await page.getByText(/Operation cannot be fulfilled on endpoints "web": the object has been modified/).waitFor();
      await page.getByText('Show what changed meanwhile').click();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-conflict');
      await page.getByRole('button', {name: 'Merge both changes'}).click();
      await page.getByText('Both changes are in the text now').waitFor();
      expect(await editor.inputValue()).toMatch(/release: r2[\s\S]*tier: edge/);
      await page.keyboard.press('Control+s');
      await page.getByRole('dialog', {name: 'Changes to shop/web'}).waitFor();
      await page.keyboard.press('Escape');
      // The text outlives its tab, and leaving the page asks.
      await page.getByRole('tab', {name: 'Fields'}).click();
      await page.getByRole('row', {name: /metadata\.labels\.cost terraform Apply/}).waitFor();
      await page.getByRole('link', {name: 'Endpoints', exact: true}).last().click();
      await page.getByRole('dialog', {name: 'Leave without saving?'}).getByRole('button', {name: 'Stay'}).click();
      await page.getByRole('tab', {name: 'YAML •'}).click();
      await page.getByLabel('Save as').selectOption('apply');
      await editor.fill((await editor.inputValue()).replace('cost: c-17', 'cost: c-18'));
      await page.getByRole('button', {name: 'Review changes'}).click();
      await page
        .getByRole('listitem')
        .getByText(/conflict with "terraform"/)
        .waitFor();
      expect(
        await page
          .getByRole('alert')
          .getByText(/conflict with "terraform"/)
          .count(),
      ).toBe(1);
      await photograph(page, 'set-managers');
      await page.getByRole('button', {name: 'Review taking them over'}).click();
      await page.getByRole('dialog').getByText('cost: c-18').waitFor();
    }));

  test('49-3 fields, audit and deletion: markup stays text, and what blocks a deletion is named', () =>
    browser.visit(server, {path: path('hostile', '?tab=fields', 'search'), as: 'hostile'}, async ({page}) => {
      await page.getByRole('row', {name: /hostile\.example\/a.*<img/}).waitFor();
      await page.getByRole('tab', {name: 'Audit'}).click();
      await page.getByRole('row', {name: /admin create 201/}).waitFor();
      await page.goto(`${server.url}/console/${path(SEEDED.blocked.name, '?tab=deletion')}`);
      await page.getByText('the component behind shop.example/drain must finish its work').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-blocked');
    }));

  test('49-3 deletion: a dialog names the set and what goes with it; the page says when it is gone', () =>
    browser.visit(server, {path: path('dns', '?tab=deletion', 'search'), as: 'admin'}, async ({page, context}) => {
      const other = await context.newPage();
      await other.goto(`${server.url}/console/${path('dns', '', 'search')}`);
      await other.getByRole('heading', {name: 'dns', level: 1}).waitFor();
      await page.getByRole('button', {name: 'Delete'}).click();
      const dialog = page.getByRole('dialog', {name: 'Delete search/dns?'});
      await dialog.getByText(/endpointslices\.discovery\.k8s\.io\/dns-/).waitFor();
      await dialog.getByRole('radio', {name: /Keep dependents/}).check();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-delete');
      await dialog.getByRole('button', {name: 'Delete dns'}).click();
      await page.getByText('Requested the deletion of search/dns: it waits for orphan').waitFor();
      await page.getByRole('heading', {name: 'These endpoints were deleted'}).waitFor();
      await other.getByRole('heading', {name: 'These endpoints were deleted'}).waitFor();
      await photograph(other, 'set-gone');
    }));

  test('49-2 a user who may only read: buttons name the missing right, the audit log says it too', () =>
    browser.visit(server, {path: path('web', '?tab=yaml'), as: 'viewer', allow: [/status of 403/]}, async ({page}) => {
      const review = page.getByRole('button', {name: 'Review changes'});
      await expect.poll(() => review.getAttribute('aria-describedby')).not.toBeNull();
      await page
        .getByText('You lack the right to update endpoints "web" in namespace shop')
        .first()
        .waitFor({state: 'attached'});
      await page.getByText(/^The text is read-only\. You lack the right to update/).waitFor();
      expect(await editorOf(page).getAttribute('readonly')).not.toBeNull();
      await page.getByRole('tab', {name: 'Audit'}).click();
      await page.getByRole('heading', {name: 'You lack the right to read the audit log'}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-no-audit');
    }));

  test('49-3 a set that does not exist says so', () =>
    browser.visit(server, {path: path('missing'), as: 'viewer'}, async ({page}) => {
      await page.getByRole('heading', {name: 'Endpoints shop/missing do not exist'}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photograph(page, 'set-missing');
    }));

  test('49-3 create: a template, faults at their lines, a dry run, and the page of what was created', () =>
    browser.visit(
      server,
      {path: 'endpoints?namespace=search', as: 'admin', allow: [/status of 400/]},
      async ({page}) => {
        await page.getByRole('button', {name: 'Create'}).click();
        const editor = editorOf(page);
        const template = await editor.inputValue();
        await editor.fill(template.replace('port: 8080', 'prt: 8080'));
        await page.getByRole('button', {name: 'Review'}).click();
        await page.getByText('unknown field "subsets[0].ports[0].prt"').first().waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await photograph(page, 'create-problems');
        await editor.fill(template.replace('name: example', 'name: made'));
        await page.getByRole('button', {name: 'Review'}).click();
        const dialog = page.getByRole('dialog', {name: 'Create search/made?'});
        await dialog.getByRole('button', {name: 'Create'}).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await photograph(page, 'create-review');
        await dialog.getByRole('button', {name: 'Create'}).click();
        await page.getByRole('heading', {name: 'made', level: 1}).waitFor();
        expect(page.url()).toContain('/endpoints/search/made');
      },
    ));
});
