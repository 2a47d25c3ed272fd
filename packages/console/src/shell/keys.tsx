// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, useEffect, useRef, useState} from 'react';
import {Dialog, type KeyGroup, KeyList} from '../ui/index.ts';
import {keyGroups} from './key-groups.ts';
import css from './layout.module.css';

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

export type KeyboardHelpProps = {
  /** Of the page that is shown. */
  readonly ofPage: KeyGroup | undefined;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
};

export const KeyboardHelp = ({ofPage, ...props}: KeyboardHelpProps): ReactNode => (
  <Dialog {...props} title="Keyboard shortcuts">
    <Groups ofPage={ofPage} />
  </Dialog>
);

/** Reads the page when the dialog opens, not with each render of the frame. */
function Groups({ofPage}: Pick<KeyboardHelpProps, 'ofPage'>): ReactNode {
  const [groups] = useState(() => keyGroups(ofPage, selector => document.querySelector(selector) !== null));
  return (
    <div className={css['keys']}>
      {groups.map(({title, keys}) => (
        <section key={title}>
          <h3>{title}</h3>
          <KeyList keys={keys} />
        </section>
      ))}
    </div>
  );
}
