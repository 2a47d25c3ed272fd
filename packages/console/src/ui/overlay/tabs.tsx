// SPDX-License-Identifier: Apache-2.0
import {Tabs as Radix} from 'radix-ui';
import type {ReactNode} from 'react';
import css from './tabs.module.css';

export type Tab = {readonly id: string; readonly label: string; readonly count?: number; readonly content: ReactNode};
export type TabsProps = {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** From the URL. */
  readonly value: string;
  readonly onChange: (id: string) => void;
};

/** Arrow keys move between tabs; only the content of the chosen one is built. */
export function Tabs({label, tabs, value, onChange}: TabsProps): ReactNode {
  return (
    <Radix.Root className={css['tabs']} value={value} onValueChange={onChange}>
      <Radix.List className={css['list']} aria-label={label}>
        {tabs.map(({id, label: name, count}) => (
          <Radix.Trigger key={id} value={id} className={css['tab']}>
            {name}
            {count !== undefined && <span className={css['count']}>{count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(({id, content}) => (
        <Radix.Content key={id} value={id} className={css['content']}>
          {content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
