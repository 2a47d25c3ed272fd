// SPDX-License-Identifier: Apache-2.0
/** Pictures of a page for people to look at. */
import {mkdirSync} from 'node:fs';
import {join, relative, resolve} from 'node:path';
import type {Page} from 'playwright-core';
import {NARROW, type Theme, WIDE} from './browser.ts';

const THEMES: readonly Theme[] = ['light', 'dark'];

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
 * nothing without it. The page keeps its state, and its size at the end.
 */
export const photograph = async (page: Page, name: string): Promise<void> => {
  if (folder === undefined) return;
  const before = page.viewportSize();
  for (const width of [WIDE, NARROW]) {
    await page.setViewportSize({width, height: before?.height ?? width});
    for (const theme of THEMES) {
      await page.emulateMedia({colorScheme: theme});
      await page.screenshot({path: join(folder, `${name}-${theme}-${width}.png`), fullPage: true});
    }
  }
  await page.emulateMedia({colorScheme: null});
  if (before !== null) await page.setViewportSize(before);
};
