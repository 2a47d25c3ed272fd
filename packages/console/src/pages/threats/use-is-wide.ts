// SPDX-License-Identifier: Apache-2.0
import {useSyncExternalStore} from 'react';

const query = (): MediaQueryList => window.matchMedia('(min-width: 1440px)');
const subscribe = (listener: () => void): (() => void) => {
  const list = query();
  list.addEventListener('change', listener);
  return () => list.removeEventListener('change', listener);
};

/** Whether the table has room for words where letters do. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, () => query().matches);
