// SPDX-License-Identifier: Apache-2.0
/** How much room the screen has. */
import {useSyncExternalStore} from 'react';

/** A hook. One list for each query, not for each render: tables render with each row that scrolls in. */
function media(query: string): () => boolean {
  let made: MediaQueryList | undefined;
  const list = (): MediaQueryList => {
    made ??= window.matchMedia(query);
    return made;
  };
  const subscribe = (listener: () => void): (() => void) => {
    list().addEventListener('change', listener);
    return () => list().removeEventListener('change', listener);
  };
  const matches = (): boolean => list().matches;
  return () => useSyncExternalStore(subscribe, matches);
}

/** Whether the screen is as narrow as a phone's. */
export const useIsNarrow = media('(max-width: 720px)');
/** Whether a list and its side panel fit next to each other. */
export const useFitsPanel = media('(min-width: 1024px)');
/** Whether a table next to a side panel has room for more than its main columns. */
export const useFitsColumns = media('(min-width: 1280px)');
/** Whether a table has room for words instead of letters, and for long names too. */
export const useIsWide = media('(min-width: 1600px)');
