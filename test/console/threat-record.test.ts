// SPDX-License-Identifier: Apache-2.0
/** The page of one threat against a real server with a real sensor and real traffic. */
import {readFile} from 'node:fs/promises';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {whyNot} from '../sensor/lab/lab.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, NARROW, openBrowser, WIDE} from './support/browser.ts';
import {whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {HOSTILE} from './support/hostile.ts';
import {overflowOf} from './support/page-widths.ts';
import {photograph} from './support/photograph.ts';
import {GUARD, IDS_RULES, seedIds} from './support/seed/ids.ts';
import {seedRoles} from './support/seed/kube.ts';

const why = whyNoBrowser ?? whyNot;
const PCAP_MAGIC = 'd4c3b2a1';

describe.skipIf(why !== undefined)(`the page of a threat${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let server: ConsoleServer;
  let browser: ConsoleBrowser;
  let threats: readonly Json[];
  beforeAll(async () => {
    const options = {auth: 'tokens', sensors: true, rules: IDS_RULES, flags: ['--evidence', 'pcap']} as const;
    [server, browser] = await Promise.all([startConsoleServer(options), openBrowser()]);
    [threats] = await Promise.all([seedIds(server), seedRoles(server)]);
  });
  afterAll(() => Promise.all([server?.[Symbol.asyncDispose](), browser?.[Symbol.asyncDispose]()]));

  const recordOf = (threatId: string): Json => threats.find(({threat_id: id}) => id === threatId);
  const pathOf = (threatId: string, back = '?range=all', more = ''): string => {
    const name = `${GUARD}/threats/${recordOf(threatId).id}`;
    return `threats/record?name=${encodeURIComponent(name)}&back=${encodeURIComponent(back)}${more}`;
  };
  /** The page scrolls within its frame: a tall window shows all of it. */
  const photographed = async (page: Page, name: string): Promise<void> => {
    await page.setViewportSize({width: WIDE, height: 2_400});
    await photograph(page, name);
    await page.setViewportSize({width: WIDE, height: 800});
  };
  const titleIn = (page: Page) => page.getByRole('heading', {level: 1});

  test('49-3 a threat with markup everywhere: fields, rule, payload and protocols, all as text', () =>
    browser.visit(server, {path: pathOf('1:1000001'), as: 'admin'}, async ({page}) => {
      await page.getByRole('heading', {name: `TEST ${HOSTILE}`}).waitFor();
      await page.getByRole('region', {name: 'Payload as hexadecimal'}).getByText('47 45 54 20').waitFor();
      // What matched is marked in the rule and in the payload.
      const rule = page.getByRole('region', {name: 'Text of the rule'});
      expect(await rule.locator('mark').allTextContents()).toEqual(['"/hostile"']);
      expect(await page.getByRole('region', {name: 'Payload as'}).locator('mark').allTextContents()).toContain(
        '/hostile',
      );
      await page.getByRole('button', {name: 'Text', exact: true}).click();
      await page.getByRole('region', {name: 'Payload as text'}).getByText(`User-Agent: ${HOSTILE}`).waitFor();
      expect(page.url()).toContain('form=text');
      await page.getByText('User agent', {exact: true}).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photographed(page, 'threat-hostile');
      await page.getByRole('tab', {name: 'Event'}).click();
      await page
        .getByRole('region', {name: 'the event as Suricata wrote it'})
        .getByText('"event_type": "alert"')
        .waitFor();
      await page.setViewportSize({width: NARROW, height: 800});
      await expect.poll(() => overflowOf(page)).toEqual([]);
      expect(await violationsOf(page)).toEqual([]);
    }));

  test('49-3 decisions by button and key, with a comment; a decision of somebody else comes without reload', () =>
    browser.visit(server, {path: pathOf('1:1000001'), as: 'admin'}, async ({page}) => {
      await page.getByRole('button', {name: 'Acknowledge', exact: true}).click();
      await page.getByRole('button', {name: 'Undo the acknowledgement'}).waitFor();
      await page.keyboard.press('e');
      await page.getByRole('button', {name: 'Undo the escalation'}).waitFor();
      await page.keyboard.press('c');
      await page.keyboard.type(HOSTILE);
      await page.keyboard.press('Control+Enter');
      const history = page.locator('section', {has: page.getByRole('heading', {name: 'Decisions'})});
      await history.getByText(HOSTILE).waitFor();
      const name = `${GUARD}/threats/${recordOf('1:1000001').id}`;
      expect((await server.rest.get(name)).body).toMatchObject({acknowledged: true, escalated: true});
      await server.rest.post(`${name}:comment`, {}, {comment: 'from elsewhere'});
      await history.getByText('from elsewhere').waitFor();
      await photographed(page, 'threat-decided');
    }));

  test('49-3 older and newer follow the filter of the list; a value becomes part of that filter', () => {
    const back = `?q=${encodeURIComponent('alert_severity>=HIGH')}&range=all`;
    return browser.visit(server, {path: pathOf('1:1000001', back), as: 'admin'}, async ({page}) => {
      const high = threats
        .filter(({alert_severity: severity}) => ['HIGH', 'CRITICAL'].includes(severity))
        .sort((a, b) =>
          a.event_time === b.event_time ? (a.id < b.id ? -1 : 1) : a.event_time < b.event_time ? 1 : -1,
        );
      const at = high.findIndex(({threat_id: id}) => id === '1:1000001');
      const [step, key, other] = at > 0 ? ['↑ Newer', 'k', high[at - 1]] : ['↓ Older', 'j', high[at + 1]];
      await page.getByRole('link', {name: step}).waitFor();
      await page.keyboard.press(key);
      await page.getByRole('heading', {name: other.name, level: 1}).waitFor();
      await page.getByRole('button', {name: `Source: ${other.source_ip_address}`}).click();
      await page.getByRole('menuitem', {name: 'Exclude from the filter'}).click();
      await page.getByRole('heading', {name: 'Threats', level: 1}).waitFor();
      const q = new URL(page.url()).searchParams.get('q');
      expect(q).toBe(`alert_severity>=HIGH AND NOT source_ip_address=${other.source_ip_address}`);
    });
  });

  test('49-3 the packets are a capture file; related traffic is in the timeline', () =>
    browser.visit(server, {path: pathOf('1:1000001'), as: 'admin'}, async ({page}) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', {name: 'Packets (pcap)'}).click(),
      ]);
      expect((await readFile(await download.path())).subarray(0, 4).toString('hex')).toBe(PCAP_MAGIC);
      expect(download.suggestedFilename()).toMatch(/^1-1000001-.*\.pcap$/);
      const related = page.locator('section', {has: page.getByRole('heading', {name: 'Related'})});
      await related.locator('[aria-current]').waitFor();
      await related.getByText('Traffic', {exact: true}).waitFor();
      await photographed(page, 'threat');
    }));

  test('49-3 an exception: tried with the stored alerts, then made, and known afterwards', () =>
    browser.visit(server, {path: pathOf('1:1000001', '?range=all', '&exception=1'), as: 'admin'}, async ({page}) => {
      const dialog = page.getByRole('dialog', {name: 'Make an exception'});
      await dialog.getByText(/^Would have hidden 1 of the last \d+ alerts/).waitFor();
      await dialog.getByText('Rule 1:1000001 from 203.0.113.66 to 10.20.1.11').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photographed(page, 'threat-exception');
      await dialog.getByRole('button', {name: 'Make exception'}).click();
      await page.getByText('no longer reports').waitFor();
      expect((await server.rest.get(GUARD)).body.threatExceptions).toEqual(['1:1000001']);
      await page.keyboard.press('x');
      await dialog.getByText('has this exception already').waitFor();
      await dialog.getByText(/^1 of the last \d+ alerts is of this rule/).waitFor();
      await photographed(page, 'threat-exception-there');
    }));

  test('49-3 without rights: buttons say what is missing, and the server says why there is no evidence', () =>
    browser.visit(server, {path: pathOf('1:9000206'), as: 'viewer'}, async ({page}) => {
      await titleIn(page).waitFor();
      await page
        .getByRole('tabpanel')
        .getByText(/ids\.threats\.getEvidence/)
        .waitFor();
      const button = page.getByRole('button', {name: 'Acknowledge', exact: true});
      await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true');
      await expect.poll(() => page.getByText('You lack the permission ids.threats.update').count()).toBeGreaterThan(0);
      const except = page.getByRole('button', {name: 'Make an exception'});
      await expect.poll(() => except.getAttribute('aria-disabled')).toBe('true');
      await page.keyboard.press('a');
      await page
        .getByRole('region', {name: 'Messages'})
        .getByText(/ids.threats.update/)
        .waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await photographed(page, 'threat-viewer');
    }));

  test('49-3 a threat that is gone, and an address without a name, say so', () =>
    browser.visit(
      server,
      {path: 'threats/record?name=nonsense', as: 'admin', allow: [/status of 40[04]/]},
      async ({page}) => {
        await page.getByText('The address names no threat').waitFor();
        const name = `${GUARD}/threats/${recordOf('1:1000001').id.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))}`;
        await page.goto(`${server.url}/console/threats/record?name=${encodeURIComponent(name)}`);
        await page.getByText('There is no such threat').waitFor();
        await page.getByRole('link', {name: 'List of threats'}).waitFor();
        await page.goto(`${server.url}/console/threats/record?name=${encodeURIComponent(`${GUARD}/threats/x`)}`);
        await page.getByText('There is no such threat').waitFor();
        await photographed(page, 'threat-gone');
      },
    ));
});
