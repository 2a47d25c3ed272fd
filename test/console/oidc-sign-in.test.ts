// SPDX-License-Identifier: Apache-2.0
/**
 * Sign-in at a real issuer (oidc-provider over TLS) in a real browser. The console is opened as localhost and the issuer is 127.0.0.1: two
 * sites, as in production, so that the browser applies SameSite to the redirect that comes back.
 */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CLIENT_SECRET, type OidcIssuer, startIssuer} from '../support/oidc-issuer.ts';
import {type Scratch, scratch} from '../support/palisade.ts';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, openBrowser, type Visited} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {type ConsoleServer, startConsoleServer} from './support/console-server.ts';
import {sender} from './support/seed/sender.ts';

const DEEP_LINK = 'endpoints?q=web&failing=true';
/** The pages of oidc-provider load a font. */
const FONTS = 'https://fonts.googleapis.com/';

describe.skipIf(whyNoBrowser !== undefined)(`sign-in at an issuer${noBrowserReason}`, () => {
  let folder: Scratch;
  let issuer: OidcIssuer;
  let browser: ConsoleBrowser;
  let server: ConsoleServer;
  let visited: Visited;
  beforeAll(async () => {
    folder = scratch();
    issuer = await startIssuer(join(folder.dir, 'issuer'));
    const secret = join(folder.dir, 'client-secret');
    writeFileSync(secret, `${CLIENT_SECRET}\n`, {mode: 0o600});
    const flags = [
      ...['--oidc-issuer-url', issuer.url, '--oidc-client-id', 'palisade', '--oidc-ca-file', issuer.caFile],
      ...['--oidc-client-secret-file', secret, '--oidc-username-prefix', 'oidc:'],
      ...['--oidc-groups-claim', 'groups', '--oidc-groups-prefix', 'oidc:'],
    ];
    [browser, server] = await Promise.all([openBrowser(), startConsoleServer({auth: 'tokens', tls: true, flags})]);
    visited = {...server, url: server.url.replace('127.0.0.1', 'localhost')};
    await sender(server)('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: {name: 'jane-view'},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view'},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'oidc:jane-team'}],
    });
  });
  afterAll(async () => {
    await Promise.all([browser, server].map(each => each?.[Symbol.asyncDispose]()));
    await issuer?.close();
    folder?.[Symbol.dispose]();
  });

  const goToIssuer = async (page: Page): Promise<void> => {
    await page.getByRole('link', {name: `Sign in with ${new URL(issuer.url).host}`}).click();
    await page.getByPlaceholder('Enter any login').waitFor();
  };
  const signInAtIssuer = async (page: Page, user: string): Promise<void> => {
    await page.getByPlaceholder('Enter any login').fill(user);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', {name: 'Sign-in'}).click();
    await page.getByRole('button', {name: 'Continue'}).click();
  };

  test('49-2 at an issuer of another site: a cancelled sign-in says why, the next opens the linked page, sign-out ends it', () => {
    const allow = [/status of 401/, new RegExp(`another origin: (${issuer.url}|${FONTS})`)];
    return browser.visit(visited, {path: DEEP_LINK, allow}, async ({page, context}) => {
      await context.route(`${FONTS}**`, route => route.fulfill({contentType: 'text/css', body: ''}));
      await goToIssuer(page);
      await page.getByRole('link', {name: 'Cancel'}).click();
      await page.getByRole('heading', {name: 'Sign-in failed'}).waitFor();
      await page
        .getByText(/^the sign-in was cancelled, or the issuer does not admit this user: access_denied/)
        .waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('link', {name: 'Back to the sign-in page'}).click();
      await page.getByRole('heading', {name: 'Sign in', exact: true}).waitFor();

      await goToIssuer(page);
      await signInAtIssuer(page, 'jane');
      await page.getByRole('heading', {name: 'Endpoints', exact: true}).waitFor();
      expect(page.url()).toBe(`${visited.url}/console/${DEEP_LINK}`);
      expect(await page.getByRole('searchbox').inputValue()).toBe('web');
      await page.getByText('You lack the right to create endpoints', {exact: true}).waitFor({state: 'attached'});
      const [cookie, ...others] = await context.cookies(visited.url);
      expect([cookie?.sameSite, cookie?.httpOnly, others]).toEqual(['Strict', true, []]);

      await page.getByRole('button', {name: 'Account of oidc:jane'}).click();
      const session = await context.cookies();
      await page.getByRole('menuitem', {name: 'Sign out'}).click();
      await page.getByRole('heading', {name: 'Sign in', exact: true}).waitFor();
      expect(await context.cookies(visited.url)).toEqual([]);
      await context.addCookies(session);
      expect((await context.request.get(`${visited.url}/api/v1/endpoints`)).status()).toBe(401);
    });
  });
});
