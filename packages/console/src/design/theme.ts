// SPDX-License-Identifier: Apache-2.0
/** Dark, light, or as the system says; kept in this browser. `public/theme.js` reads the same key before the first paint. */
import {useSyncExternalStore} from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
/** What is shown. */
type Shade = 'light' | 'dark';

const THEME_KEY = 'palisade.theme';

/** Anything else that was kept is as good as nothing. */
const parseTheme = (kept: string | null): Theme => THEMES.find(theme => theme === kept) ?? 'system';
const shadeOf = (theme: Theme, systemIsDark: boolean): Shade =>
  theme === 'system' ? (systemIsDark ? 'dark' : 'light') : theme;

const listeners = new Set<() => void>();
const systemDark = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)');
let chosen: Theme | undefined;

const read = (): Theme => {
  try {
    return parseTheme(localStorage.getItem(THEME_KEY));
  } catch {
    return 'system'; // storage is switched off
  }
};

const show = (): void => {
  document.documentElement.dataset['theme'] = shadeOf(theTheme(), systemDark().matches);
  for (const listener of listeners) listener();
};

const theTheme = (): Theme => {
  chosen ??= read();
  return chosen;
};

export const setTheme = (theme: Theme): void => {
  chosen = theme;
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // It holds until the page is left.
  }
  show();
};

/** Called once, when the console starts. */
export const startTheme = (): void => {
  systemDark().addEventListener('change', show);
  show();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useTheme = (): Theme => useSyncExternalStore(subscribe, theTheme);
/** For what cannot be coloured by CSS, such as a canvas. */
export const useShade = (): Shade => useSyncExternalStore(subscribe, () => shadeOf(theTheme(), systemDark().matches));
