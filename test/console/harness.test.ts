// SPDX-License-Identifier: Apache-2.0
/** The tests in a browser notice what they are there for. The pages here are made up. */
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {violationsOf} from './support/axe.ts';
import {type ConsoleBrowser, openBrowser, type Visited, type VisitOptions} from './support/browser.ts';
import {noBrowserReason, whyNoBrowser} from './support/browser-program.ts';
import {HOSTILE} from './support/hostile.ts';
import {startOtherSite} from './support/other-site.ts';

const CSP = "default-src 'none'; script-src 'self'; img-src 'self' data:; style-src 'self'; connect-src 'self'";
const pageOf = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>t</title><link rel="icon" href="data:,"></head><body><main><h1>Page</h1>${body}</main></body></html>`;

describe.skipIf(whyNoBrowser !== undefined)(`the harness${noBrowserReason}`, () => {
  let browser: ConsoleBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  /** Opens a page with this body, and runs `act` in it. */
  const visited = async (
    body: string,
    {csp, act = '0', ...options}: VisitOptions & {readonly csp?: string; readonly act?: string} = {},
  ): Promise<string> => {
    await using site = await startOtherSite(pageOf(body), csp === undefined ? {} : {'content-security-policy': csp});
    const server: Visited = {url: site.url, tokens: {admin: '', viewer: '', nobody: '', hostile: ''}};
    return await browser.visit(server, options, async ({page}) => {
      await page.evaluate(act);
      return (await violationsOf(page)).join('\n');
    });
  };

  test('49-5 a page without fault passes', async () => {
    expect(await visited('<p>text</p>', {csp: CSP})).toBe('');
  });

  test.each([
    ['an inline script', {body: '<script>1</script>', csp: CSP}, /Executing inline script violates/],
    ['markup of a text, before it runs', {body: HOSTILE, csp: CSP}, /1 hostile texts have become elements/],
    ['an alert of such a text', {body: HOSTILE}, /the page shows an alert: 1/],
    [
      'a request to another origin',
      {body: '<img alt="a" src="http://localhost:9/a.png">'},
      /request to another origin: http:\/\/localhost:9\/a.png/,
    ],
    [
      'an uncaught error',
      {body: '', act: "new Promise(d => {setTimeout(() => {setTimeout(d); throw new Error('of the page')})})"},
      /uncaught in the page: Error: of the page/,
    ],
    [
      'an error in the console of the browser',
      {body: '', act: "console.error('of the page')"},
      /browser console: of the page/,
    ],
  ])('49-5 %s fails the test', async (_, {body, ...options}, fault) => {
    await expect(visited(body, options)).rejects.toThrow(fault);
  });

  test('49-5 a fault that a test expects does not fail it; a failure shows the page', async () => {
    expect(await visited('', {act: "console.error('of the page')", allow: [/of the page/]})).toBe('');
    await expect(visited('<p>shown</p>', {act: "throw new Error('of the test')"})).rejects.toThrow(
      /of the test[\s\S]*- paragraph: shown/,
    );
  });

  test('49-5 axe-core names the element and the rule, under a policy without inline scripts', async () => {
    const found = await visited('<button></button>', {csp: CSP});
    expect(found).toMatch(/^button-name: [\s\S]*: button: /);
  });
});
