// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import css from './page-header.module.css';

export type PageHeaderProps = {
  readonly title: string;
  /** Beside the title: a count, a state. */
  readonly aside?: ReactNode;
  /** Above the title: links to the pages it belongs to. */
  readonly trail?: ReactNode;
  /** Buttons, at the right. */
  readonly actions?: ReactNode;
};

/** The head of each page; its title is the title of the document, too. */
export function PageHeader({title, aside, trail, actions}: PageHeaderProps): ReactNode {
  return (
    <header className={css['header']}>
      <title>{`${title} · Palisade`}</title>
      <div className={css['titles']}>
        {trail !== undefined && <nav aria-label="Breadcrumb">{trail}</nav>}
        <div className={css['line']}>
          <h1>{title}</h1>
          {aside}
        </div>
      </div>
      {actions !== undefined && <div className={css['actions']}>{actions}</div>}
    </header>
  );
}

/** A titled part of a page. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <section className={css['section']}>
      <div className={css['sectionHead']}>
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
