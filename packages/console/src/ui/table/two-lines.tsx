// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import css from './table.module.css';

/** Two lines in the height of a row: the second one, smaller, is left out where it has no text. */
export const TwoLines = ({children, below}: {readonly children: ReactNode; readonly below: string}): ReactNode => (
  <span className={css['lines']}>
    {children}
    {below !== '' && <small title={below}>{below}</small>}
  </span>
);
