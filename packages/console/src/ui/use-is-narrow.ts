// SPDX-License-Identifier: Apache-2.0
import {useSyncExternalStore} from 'react';

const query = (): MediaQueryList => window.matchMedia('(max-width: 720px)');
const subscribe = (listener: () => void): (() => void) => {
  const list = query();
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
};

/** Whether the screen is as narrow as a phone's. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => query().matches);
