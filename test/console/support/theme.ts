// SPDX-License-Identifier: Apache-2.0
/** The theme of a page that follows its system. */
import type {Page} from 'playwright-core';
import type {Theme} from './browser.ts';

export const THEMES: readonly Theme[] = ['light', 'dark'];
const SHOWN = 'document.documentElement.dataset.theme';

export const shownTheme = (page: Page): Promise<Theme> => page.evaluate(SHOWN);

/** Resolves in a frame in which the theme is shown and painted, and no colour is on its way any more. */
export const showTheme = async (page: Page, theme: Theme): Promise<void> => {
  await page.emulateMedia({colorScheme: theme});
  // The page hears of the change later; what is drawn by script, such as a chart, follows in the next frame.
  await page.evaluate(`new Promise(done => {
    const settle = () => {
      for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish();
      requestAnimationFrame(done);
    };
    const look = () => requestAnimationFrame(${SHOWN} === '${theme}' ? () => requestAnimationFrame(settle) : look);
    look();
  })`);
};
