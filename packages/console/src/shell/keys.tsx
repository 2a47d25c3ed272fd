// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useRef} from 'react';
import {Dialog} from '../ui/index.ts';
import css from './layout.module.css';

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['/'], 'Go to the filter of the page'],
  [['?'], 'Show this help'],
  [['↑', '↓'], 'Move in a table'],
  [['Page Up', 'Page Down'], 'Move by one screen'],
  [['Home', 'End'], 'Go to the first or the last row'],
  [['Enter'], 'Open the row'],
  [['Space'], 'Mark the row, where rows can be marked'],
  [['Esc'], 'Close a dialog or a menu, empty the filter'],
];

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The keys that work on every page, outside of fields and dialogs. */
export function usePageKeys(onHelp: () => void): void {
  const help = useRef(onHelp);
  help.current = onHelp;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isOurs = !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !event.altKey;
      if (!isOurs || isTyping(event.target) || document.querySelector('[role="dialog"]') !== null) return;
      if (event.key === '?') help.current();
      else if (event.key === '/') document.querySelector<HTMLElement>('[data-page-filter]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

export function KeyboardHelp(props: {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}): ReactNode {
  return (
    <Dialog {...props} title="Keyboard shortcuts">
      <dl className={css['keys']}>
        {KEYS.map(([keys, does]) => (
          <div key={does} style={{display: 'contents'}}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
