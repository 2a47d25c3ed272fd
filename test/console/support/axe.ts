// SPDX-License-Identifier: Apache-2.0
/** Accessibility faults that axe-core finds. It is evaluated from outside of the page, so the Content-Security-Policy stays as it is. */
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import type {Page} from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** WCAG 2.2 A and AA, and axe's best practices. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Menus and tooltips of Radix float above all landmarks; the element that they belong to is in one. */
const FLOATING = /data-radix-popper-content-wrapper/;

type AxeNode = {readonly target: readonly string[]; readonly failureSummary: string};
type AxeViolation = {readonly id: string; readonly help: string; readonly nodes: readonly AxeNode[]};

/**
 * One line for each element that violates a rule: `rule: what it asks for: selector: how to mend it`. Empty: none.
 *
 * @param within a CSS selector; default: the whole page
 */
export const violationsOf = async (page: Page, within?: string): Promise<string[]> => {
  // Half a megabyte: once for each document.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(SOURCE);
  const context = JSON.stringify(within ?? null);
  const run = `axe.run(${context} ?? document, {runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations']})`;
  const {violations} = await page.evaluate<{violations: AxeViolation[]}>(
    `${run}.then(({violations}) => ({violations}))`,
  );
  return violations.flatMap(({id, help, nodes}) =>
    nodes
      .filter(({target}) => !(id === 'region' && FLOATING.test(target.join(' '))))
      .map(({target, failureSummary}) => `${id}: ${help}: ${target.join(' ')}: ${failureSummary.replace(/\s+/g, ' ')}`),
  );
};
