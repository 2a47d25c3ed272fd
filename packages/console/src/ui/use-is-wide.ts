// SPDX-License-Identifier: Apache-2.0
import {useSyncExternalStore} from 'react';

const query = (): MediaQueryList => window.matchMedia('(min-width: 1024px)');
const subscribe = (listener: () => void): (() => void) => {
  const list = query();
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
};

/** Whether a list and its side panel fit beside each other. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => query().matches);
