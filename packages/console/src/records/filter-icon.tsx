// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';

/** A funnel of 14 px. */
export function FilterIcon(): ReactNode {
  return (
    <svg width="14" height="14" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d="M2.500 3h11l-4.200 5.200v4.300l-2.600-1.300v-3z" fill="none" stroke="currentColor" strokeWidth="1.4" />
    </svg>
  );
}
