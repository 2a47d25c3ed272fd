// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {useFitsPanel} from '../use-screen.ts';
import {IconButton} from './button.tsx';
import {CloseIcon} from './icons.tsx';
import css from './side-panel.module.css';

/** A list, and next to it the panel of what is open in it; the panel alone where both do not fit. */
export function WithSidePanel({
  panel,
  children,
}: {
  /** undefined: nothing is open. */
  readonly panel: ReactNode | undefined;
  readonly children: ReactNode;
}): ReactNode {
  const isWide = useFitsPanel();
  return (
    <div className={css['split']}>
      {(isWide || panel === undefined) && <div className={css['main']}>{children}</div>}
      {panel}
    </div>
  );
}

export type SidePanelProps = {
  /** For screen readers: `Rule 1:2001219`. */
  readonly label: string;
  readonly title: string;
  /** Below the title. */
  readonly line?: ReactNode;
  /** Pixels, where the list is next to it. */
  readonly width: number;
  /** `Close rule`. */
  readonly closeLabel: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

export function SidePanel({label, title, line, width, closeLabel, onClose, children}: SidePanelProps): ReactNode {
  return (
    <aside className={css['panel']} style={{width}} aria-label={label}>
      <div className={css['head']}>
        <div className={css['titles']}>
          <h2>{title}</h2>
          {line}
        </div>
        <IconButton label={closeLabel} icon={<CloseIcon />} onClick={onClose} />
      </div>
      {children}
    </aside>
  );
}
