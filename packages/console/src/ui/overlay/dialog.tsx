// SPDX-License-Identifier: Apache-2.0
import {Dialog as Radix} from 'radix-ui';
import {type ReactNode, useLayoutEffect, useRef, useState} from 'react';
import {IconButton} from '../base/button.tsx';
import {CloseIcon} from '../base/icons.tsx';
import {cx} from '../class-names.ts';
import {focusAfter, focusBefore} from './focus-return.ts';
import css from './overlay.module.css';

export type DialogProps = {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly title: string;
  /** One sentence below the title. */
  readonly description?: string | undefined;
  readonly wide?: boolean;
  readonly children?: ReactNode;
  /** Buttons, the main one last. */
  readonly actions?: ReactNode;
};

/** To the first field, else to the dialog itself: a focused Close button would show its tooltip, which takes the first Escape. */
const focusIn = (event: Event): void => {
  const dialog = event.currentTarget as HTMLElement;
  event.preventDefault();
  (dialog.querySelector<HTMLElement>('input, textarea, select') ?? dialog).focus();
};

/** Takes the focus, gives it back, closes with Escape. */
export function Dialog({open, onOpenChange, title, description, wide, children, actions}: DialogProps): ReactNode {
  // Before the first field takes the focus: by `autoFocus` it does so before any event of the dialog.
  const before = useRef<HTMLElement | null>(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) before.current = focusBefore(document);
  wasOpen.current = open;
  const giveBack = (event: Event): void => {
    event.preventDefault();
    focusAfter(document, before.current)?.focus({preventScroll: true});
  };
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={css['scrim']} />
        <Radix.Content
          className={cx(css['dialog'], wide && css['wide'])}
          onOpenAutoFocus={focusIn}
          onCloseAutoFocus={giveBack}
          {...(description === undefined ? {'aria-describedby': undefined} : {})}
        >
          <header className={css['dialogHead']}>
            <Radix.Title className={css['dialogTitle']}>{title}</Radix.Title>
            <Radix.Close asChild>
              <IconButton label="Close" icon={<CloseIcon />} />
            </Radix.Close>
          </header>
          {description !== undefined && (
            <Radix.Description className={css['dialogDescription']}>{description}</Radix.Description>
          )}
          <Body label={title}>{children}</Body>
          {actions !== undefined && <footer className={css['dialogActions']}>{actions}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A region that takes the focus as soon as it scrolls: then the arrow keys scroll it. */
function Body({label, children}: {readonly label: string; readonly children: ReactNode}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const [outer, inner] = [frame.current, content.current];
    if (outer === null || inner === null) return;
    const sizes = new ResizeObserver(() => setScrolls(outer.scrollHeight > outer.clientHeight));
    sizes.observe(outer);
    sizes.observe(inner);
    return () => sizes.disconnect();
  }, []);
  return (
    <div
      ref={frame}
      className={css['dialogBody']}
      {...(scrolls ? {role: 'region', 'aria-label': label, tabIndex: 0} : {})}
    >
      <div ref={content}>{children}</div>
    </div>
  );
}
