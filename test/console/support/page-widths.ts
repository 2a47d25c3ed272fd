// SPDX-License-Identifier: Apache-2.0
import type {Page} from 'playwright-core';

/** Elements that reach over the right edge, but for those within an element that scrolls by itself. */
const WIDE_ELEMENTS = `(() => {
  const limit = document.documentElement.clientWidth;
  const scrolls = element => element !== document.body && element !== document.documentElement &&
    element !== null && (getComputedStyle(element).overflowX !== 'visible' || scrolls(element.parentElement));
  return [...document.body.querySelectorAll('*')]
    .filter(element => element.getBoundingClientRect().right > limit + 1 && !scrolls(element.parentElement))
    .map(element => element.tagName.toLowerCase() + ' ' + String(element.className).slice(0, 40) + ' ' +
      Math.round(element.getBoundingClientRect().right) + ' px: ' + (element.textContent ?? '').slice(0, 40));
})()`;

/** Tables whose columns do not fit; the cut column is often the one with the figures. */
const WIDE_TABLES = `[...document.querySelectorAll('[role="grid"]')]
  .filter(grid => grid.scrollWidth > grid.clientWidth)
  .map(grid => 'the table ' + grid.getAttribute('aria-label') + ' is ' + (grid.scrollWidth - grid.clientWidth) + ' px wider than its frame')`;

/** Why the page or a table on it scrolls sideways, an element a line; empty: it does not. To be polled: columns follow the size a frame later. */
export const overflowOf = async (page: Page): Promise<string[]> => {
  const root = 'document.documentElement';
  const excess = await page.evaluate<number>(`${root}.scrollWidth - ${root}.clientWidth`);
  const tables = await page.evaluate<string[]>(WIDE_TABLES);
  if (excess <= 0) return tables;
  return [
    ...tables,
    `the page is ${excess} px wider than the window`,
    ...(await page.evaluate<string[]>(WIDE_ELEMENTS)),
  ];
};
