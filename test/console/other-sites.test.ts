// SPDX-License-Identifier: Apache-2.0
/**
 * Pages of other origins act against the console in the browser of a user who is signed in. The other port of 127.0.0.1 is the same site
 * for cookies, so its requests carry the session; localhost is another site.
 */
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Json} from '../ids/rest-client.ts';
import {type ConsoleBrowser, openBrowser} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {type OtherSite, startOtherSite} from './support/other-site.ts';

const NAMESPACES = '/api/v1/namespaces';
/** What the browser says and the guard sees while these pages are at work. */
const ATTACK = [
  ...[/request to another origin/, /status of 40[13]/, /blocked by CORS policy/, /net::ERR_FAILED/],
  ...[/WebSocket connection .* failed/, /frame-ancestors/],
];

/** Sends JSON as plain text, which needs no preflight: `{"metadata": {"name": "…"}, "x": "="}`. */
const sendForm = async (page: Page, target: string, name: string): Promise<number> => {
  const field = JSON.stringify({metadata: {name}, x: ''}).slice(0, -2);
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${target}"><input name='${field}' value='"}'><button>go</button></form>`,
  );
  const answer = page.waitForResponse(response => response.request().method() === 'POST');
  await page.getByRole('button').click();
  return (await answer).status();
};

const sendFetch = async (page: Page, target: string, name: string): Promise<number> => {
  const body = JSON.stringify(JSON.stringify({metadata: {name}}));
  const answer = page.waitForResponse(response => response.request().method() === 'POST');
  const options = `{method: 'POST', credentials: 'include', mode: 'no-cors', body: ${body}}`;
  await page.evaluate(`fetch('${target}', ${options}).then(() => 0)`);
  return (await answer).status();
};

/** `yes` or `no`. */
const canFetch = (page: Page, target: string, method: string): Promise<string> =>
  page.evaluate<string>(
    `fetch('${target}', {method: '${method}', credentials: 'include'}).then(r => r.text()).then(() => 'yes', () => 'no')`,
  );

const openSocket = (page: Page, target: string): Promise<string> =>
  page.evaluate<string>(`new Promise(done => {
    const socket = new WebSocket('${target.replace('http', 'ws')}?watch=1');
    socket.onopen = () => done('open');
    socket.onerror = () => done('refused');
  })`);

describe.skipIf(whyNoBrowser !== undefined)(`pages of other sites${noBrowserReason}`, () => {
  let browser: ConsoleBrowser;
  let site: OtherSite;
  let open: ConsoleServer;
  let secured: ConsoleServer;
  beforeAll(async () => {
    [browser, site, open, secured] = await Promise.all([
      openBrowser(),
      startOtherSite('<!doctype html><title>other</title><p>other'),
      startConsoleServer({auth: 'none'}),
      startConsoleServer({auth: 'tokens', tls: true}),
    ]);
  });
  afterAll(() => Promise.all([browser, site, open, secured].map(each => each?.[Symbol.asyncDispose]())));

  const namesOn = async ({rest}: ConsoleServer): Promise<string[]> =>
    (await rest.get(NAMESPACES)).body.items.map((item: Json) => item.metadata.name);

  test.each([
    {auth: 'tokens', from: 'url'},
    {auth: 'tokens', from: 'foreignUrl'},
    {auth: 'none', from: 'url'},
    {auth: 'none', from: 'foreignUrl'},
  ] as const)(
    '49-2 --auth $auth, $from: a forged form, fetch and WebSocket change and read nothing, and no frame opens',
    async ({auth, from}) => {
      const server = auth === 'none' ? open : secured;
      const {url, tokens} = {...server, url: server.rest.url};
      const before = await namesOn(server);
      const as = auth === 'none' ? undefined : 'admin';
      await browser.visit({url, tokens}, {as, allow: ATTACK}, async ({context}) => {
        const page = await context.newPage();
        await page.goto(site[from]);
        expect(await sendFetch(page, `${url}${NAMESPACES}`, 'by-fetch')).toBe(403);
        expect(await canFetch(page, `${url}/console/session`, 'GET')).toBe('no');
        expect(await canFetch(page, `${url}${NAMESPACES}`, 'DELETE')).toBe('no');
        expect(await openSocket(page, `${url}${NAMESPACES}`)).toBe('refused');
        await page.setContent(`<iframe title="f" src="${url}/console/"></iframe>`);
        await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
        expect(await sendForm(page, `${url}${NAMESPACES}`, 'by-form')).toBe(403);
      });
      expect(await namesOn(server)).toEqual(before);
    },
  );

  test('49-2 a session without its CSRF token changes nothing, from the page itself too', async () => {
    const server = {...secured, url: secured.rest.url};
    await browser.visit(server, {as: 'admin', allow: [/status of 403/]}, async ({page, context}) => {
      const create = (name: string, headers: object): Promise<number> => {
        const body = JSON.stringify(JSON.stringify({metadata: {name}}));
        const options = `{method: 'POST', headers: ${JSON.stringify(headers)}, body: ${body}}`;
        return page.evaluate<number>(`fetch('${NAMESPACES}', ${options}).then(r => r.status)`);
      };
      const json = {'content-type': 'application/json'};
      const csrf = await page.evaluate<string>(`fetch('/console/session').then(r => r.json()).then(s => s.csrfToken)`);
      expect(await create('without', json)).toBe(403);
      expect(await create('wrong', {...json, 'x-csrf-token': `${csrf.slice(1)}x`})).toBe(403);
      expect(await create('right', {...json, 'x-csrf-token': csrf})).toBe(201);
      expect(await context.cookies()).toMatchObject([
        {name: `palisade-session-${new URL(server.url).port}`, httpOnly: true, sameSite: 'Strict', secure: false},
      ]);
      expect(await page.evaluate('document.cookie')).toBe('');
    });
  });

  test('49-2 over TLS the cookie is bound to this host and to TLS', () =>
    browser.visit(secured, {as: 'admin'}, async ({page, context}) => {
      expect(await context.cookies()).toMatchObject([
        {
          name: `__Host-palisade-session-${new URL(secured.url).port}`,
          secure: true,
          path: '/',
          httpOnly: true,
          sameSite: 'Strict',
        },
      ]);
      const user = `fetch('/console/session').then(r => r.json()).then(s => s.user.username)`;
      expect(await page.evaluate(user)).toBe('admin');
    }));
});
