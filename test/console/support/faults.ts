// SPDX-License-Identifier: Apache-2.0
/** What no page of the console may do, whichever test has opened it. */
import type {BrowserContext} from 'playwright-core';
import {HOSTILE_MARK} from './hostile.ts';

/** The console asks for its session before it knows whether there is one; the browser logs the 401. */
const NO_SESSION = /status of 401 .*\/console\/session$/;

export type FaultWatch = {
  /** All faults until now that are not allowed, in the order of their appearance. */
  found(): Promise<readonly string[]>;
};

/**
 * Collects errors of the browser's console (each violation of the Content-Security-Policy is one), uncaught errors of pages, requests to
 * another origin, answers of 500 and above, and hostile texts that have become elements.
 *
 * @param origin that of the server, without a slash at the end
 * @param allow faults that the test expects
 */
export const watchFaults = (context: BrowserContext, origin: string, allow: readonly RegExp[]): FaultWatch => {
  const faults: string[] = [];
  context.on('console', message => {
    const {url} = message.location();
    if (message.type() === 'error') faults.push(`browser console: ${message.text()} at ${url}`);
  });
  context.on('weberror', error => faults.push(`uncaught in the page: ${error.error().stack ?? error.error().message}`));
  context.on('dialog', dialog => {
    if (dialog.type() === 'alert') faults.push(`the page shows an alert: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', request => {
    const url = new URL(request.url());
    const isOwn = url.origin === origin || url.protocol === 'data:' || url.protocol === 'blob:';
    if (!isOwn && request.url() !== 'about:blank') faults.push(`request to another origin: ${request.url()}`);
  });
  context.on('response', response => {
    if (response.status() >= 500) faults.push(`answer ${response.status()}: ${response.url()}`);
  });
  const hostileElements = async (): Promise<string[]> => {
    const counts = await Promise.all(
      context
        .pages()
        .filter(page => page.url().startsWith(origin))
        .map(page => page.locator(`[${HOSTILE_MARK}]`).count()),
    );
    return counts.flatMap(count => (count === 0 ? [] : [`${count} hostile texts have become elements`]));
  };
  return {
    found: async () =>
      [...faults, ...(await hostileElements())].filter(
        fault => !NO_SESSION.test(fault) && !allow.some(pattern => pattern.test(fault)),
      ),
  };
};
