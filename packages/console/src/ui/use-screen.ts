// SPDX-License-Identifier: Apache-2.0
/** How much room the screen has. */
import {useSyncExternalStore} from 'react';

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listener => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** Whether the screen is as narrow as a phone's. */
export const useIsNarrow = (): boolean => useMedia('(max-width: 720px)');
/** Whether a list and its side panel fit next to each other. */
export const useFitsPanel = (): boolean => useMedia('(min-width: 1024px)');
/** Whether a table next to a side panel has room for more than its main columns. */
export const useFitsColumns = (): boolean => useMedia('(min-width: 1280px)');
/** Whether a table has room for words instead of letters. */
export const useIsWide = (): boolean => useMedia('(min-width: 1440px)');
