// SPDX-License-Identifier: Apache-2.0
/** Pictures of a page for people to look at. */
import {mkdirSync} from 'node:fs';
import {join, relative, resolve} from 'node:path';
import type {Page} from 'playwright-core';
import {NARROW, WIDE} from './browser.ts';
import {shownTheme, showTheme, THEMES} from './theme.ts';

/** Of `PALISADE_SCREENSHOTS`; undefined: no pictures are wanted. Throws inside of the repository. */
const folder = ((): string | undefined => {
  const wanted = process.env['PALISADE_SCREENSHOTS'];
  if (wanted === undefined || wanted === '') return undefined;
  const path = resolve(wanted);
  if (!relative(process.cwd(), path).startsWith('..'))
    throw new Error(`PALISADE_SCREENSHOTS=${wanted}: name a folder outside of the repository`);
  mkdirSync(path, {recursive: true});
  return path;
})();

/**
 * `NAME-light-1280.png`, `NAME-dark-1280.png`, `NAME-light-375.png` and `NAME-dark-375.png` in the folder of `PALISADE_SCREENSHOTS`;
 * without it, no picture. At the end the page has the state, size and theme that it had at the start.
 */
export const photograph = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return;
  const before = page.viewportSize();
  const themeBefore = await shownTheme(page);
  for (const width of [WIDE, NARROW]) {
    await page.setViewportSize({width, height: before?.height ?? width});
    for (const theme of THEMES) {
      await showTheme(page, theme);
      await page.screenshot({path: join(folder, `${name}-${theme}-${width}.png`), fullPage: true});
    }
  }
  if (before !== null) await page.setViewportSize(before);
  await showTheme(page, themeBefore);
};
