// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import css from './table.module.css';

/** A name that is cut where it does not fit, and next to it a badge that never is. */
export const NameCell = ({
  children,
  badge,
}: {
  /** One element: the link of the name. */
  readonly children: ReactNode;
  readonly badge?: ReactNode;
}): ReactNode => (
  <span className={css['name']}>
    {children}
    {badge}
  </span>
);
