// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import css from './data.module.css';

/** One shortcut, or several that belong together. */
export type KeyHelp = readonly [keys: readonly string[], does: string];

export type KeyGroup = {
  /** Where they work: `In the table of threats`. */
  readonly title: string;
  readonly keys: readonly KeyHelp[];
};

/** Shortcuts under each other, and what they do. */
export const KeyList = ({keys}: {readonly keys: readonly KeyHelp[]}): ReactNode => (
  <dl className={css['keys']}>
    {keys.map(([names, does]) => (
      <div key={does}>
        <dt>
          {names.map(name => (
            <kbd key={name}>{name}</kbd>
          ))}
        </dt>
        <dd>{does}</dd>
      </div>
    ))}
  </dl>
);
