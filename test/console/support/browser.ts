// SPDX-License-Identifier: Apache-2.0
/** One chromium for a test file, and a fresh profile for each visit. */
import {setTimeout as delay} from 'node:timers/promises';
import {type Browser, type BrowserContext, chromium, type Page} from 'playwright-core';
import {browserProgram, whyNoBrowser} from './browser-program.ts';
import type {ConsoleServer, UserName} from './console-server.ts';
import {type FaultWatch, watchFaults} from './faults.ts';

export const WIDE = 1280;
export const NARROW = 375;
const HEIGHT = 800;
/** Bound on each wait for the page. */
const WAIT_MS = 20_000;
/** Until a page that does not answer counts as one that hangs. */
const PAGE_MS = 10_000;
/** Of a page that a failure shows. */
const SHOWN_CHARACTERS = 3_000;

export type Theme = 'light' | 'dark';
export type VisitOptions = {
  /** Below `/console/`, with query; default: the start page. */
  readonly path?: string;
  /** Signed in by the token of this user before the page opens; default: not signed in. Of no use with `--auth none`. */
  readonly as?: UserName | undefined;
  readonly theme?: Theme;
  readonly width?: number;
  /** Faults that this visit expects: `watchFaults` lists what is one. */
  readonly allow?: readonly RegExp[];
};
/** The part of a server that a browser sees. */
export type Visited = Pick<ConsoleServer, 'url' | 'tokens'>;
export type Visit = {readonly page: Page; readonly context: BrowserContext};

/** A page in an endless loop answers nothing: `otherwise` then. */
const within = <T, U>(work: Promise<T>, otherwise: U): Promise<T | U> =>
  Promise.race([work, delay(PAGE_MS, otherwise, {ref: false})]);

class PageHangs extends Error {
  override readonly message = 'the page does not answer: one of its scripts does not end';
}

/** Rejects once a script of the page does not end; ends with the page. */
const hanging = async (page: Page): Promise<never> => {
  while (!page.isClosed()) {
    const answer = page.evaluate('0').catch(() => 0); // the page is being left
    if ((await within(answer, 'late')) === 'late' && !page.isClosed()) throw new PageHangs();
    await delay(PAGE_MS, undefined, {ref: false});
  }
  return new Promise(() => {});
};

const foundBy = (watch: FaultWatch): Promise<readonly string[]> =>
  within(watch.found(), ['the page does not answer: a script of it does not end']);

/** The address, and what assistive technology reads: more use in a log than a picture. */
const shown = async (context: BrowserContext): Promise<string> => {
  const pages = context.pages().map(async page => {
    const text = await page.locator('body').ariaSnapshot();
    return `${page.url()}\n${text.slice(0, SHOWN_CHARACTERS)}`;
  });
  return (await Promise.all(pages)).join('\n');
};

export class ConsoleBrowser {
  readonly #browser: Browser;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  get version(): string {
    return this.#browser.version();
  }

  /**
   * Opens a page, runs `test` and looks for faults. A failure of `test` comes with the faults and with what the page showed.
   */
  async visit<T>(server: Visited, options: VisitOptions, test: (visit: Visit) => Promise<T>): Promise<T> {
    const {path = '', as, theme = 'light', width = WIDE, allow = []} = options;
    const context = await this.#browser.newContext({
      viewport: {width, height: HEIGHT},
      colorScheme: theme,
      ignoreHTTPSErrors: true,
      reducedMotion: 'reduce',
    });
    try {
      context.setDefaultTimeout(WAIT_MS);
      const watch = watchFaults(context, server.url, allow);
      if (as !== undefined) await signIn(context, server, as);
      const page = await context.newPage();
      await page.goto(`${server.url}/console/${path}`);
      let result: T;
      try {
        result = await Promise.race([test({page, context}), hanging(page)]);
      } catch (error) {
        throw error instanceof PageHangs ? error : await explained(error, context, await foundBy(watch));
      }
      const faults = await foundBy(watch);
      if (faults.length > 0) throw await explained(new Error('the page has faults'), context, faults);
      return result;
    } finally {
      await within(context.close(), undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

const explained = async (error: unknown, context: BrowserContext, faults: readonly string[]): Promise<unknown> => {
  if (!(error instanceof Error)) return error;
  const seen = await within(
    shown(context).catch(() => 'the page could not be read'),
    'the page does not answer',
  );
  error.message = [error.message, ...faults.map(fault => `fault: ${fault}`), `the page: ${seen}`].join('\n');
  return error;
};

/** As the form of the console does; the context has the cookie afterwards. */
export const signIn = async (context: BrowserContext, server: Visited, user: UserName): Promise<void> => {
  const answer = await context.request.post(`${server.url}/console/session`, {data: {token: server.tokens[user]}});
  if (!answer.ok()) throw new Error(`sign-in as ${user}: ${answer.status()} ${await answer.text()}`);
};

/** Call it where `whyNoBrowser` is undefined. */
export const openBrowser = async (): Promise<ConsoleBrowser> => {
  if (browserProgram === undefined) throw new Error(whyNoBrowser);
  // Root has no sandbox; the pages are our own.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];
  return new ConsoleBrowser(await chromium.launch({executablePath: browserProgram, args}));
};
