// SPDX-License-Identifier: Apache-2.0
import {Tabs as Radix} from 'radix-ui';
import {type ReactNode, type RefObject, useLayoutEffect, useRef} from 'react';
import css from './tabs.module.css';

export type Tab = {readonly id: string; readonly label: string; readonly count?: number; readonly content: ReactNode};
export type TabsProps = {
  readonly label: string;
  readonly tabs: readonly Tab[];
  /** From the URL. */
  readonly value: string;
  readonly onChange: (id: string) => void;
};

/** A list that is wider than the screen scrolls to the chosen tab. The list alone: scrollIntoView would move the page, too. */
function useShownTab(list: RefObject<HTMLDivElement | null>, value: string): void {
  useLayoutEffect(() => {
    const tab = list.current?.querySelector('[aria-selected="true"]');
    if (!list.current || !tab) return;
    const [frame, box] = [list.current.getBoundingClientRect(), tab.getBoundingClientRect()];
    if (box.right > frame.right) list.current.scrollLeft += box.right - frame.right;
    else if (box.left < frame.left) list.current.scrollLeft -= frame.left - box.left;
  }, [list, value]);
}

/** Arrow keys move between tabs; only the content of the chosen one is built. */
export function Tabs({label, tabs, value, onChange}: TabsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  useShownTab(list, value);
  return (
    <Radix.Root className={css['tabs']} value={value} onValueChange={onChange}>
      <Radix.List ref={list} className={css['list']} aria-label={label}>
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
