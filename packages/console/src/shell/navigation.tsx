// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {BASE} from '../links.ts';
import {PAGES} from '../pages/index.ts';
import {PageLink} from '../routing/link.tsx';
import {cx} from '../ui/index.ts';
import css from './layout.module.css';

/** Whether a page of the navigation is shown, or is the parent of the shown page. */
export const isCurrent = (pagePath: string, shownPath: string): boolean => {
  const path = shownPath.startsWith(BASE) ? shownPath.slice(BASE.length) : shownPath;
  return pagePath === '/' ? path === '' || path === '/' : path === pagePath || path.startsWith(`${pagePath}/`);
};

export function Navigation({path, isOpen}: {readonly path: string; readonly isOpen: boolean}): ReactNode {
  const sections = Map.groupBy(
    PAGES.flatMap(page => (page.nav === undefined ? [] : [{...page.nav, path: page.path}])),
    ({section}) => section,
  );
  return (
    <nav id="navigation" aria-label="Pages" className={cx(css['nav'], isOpen && css['navOpen'])}>
      {[...sections].map(([section, pages]) => (
        <div key={section} className={css['navSection']}>
          {section !== 'Overview' && <p className={css['navTitle']}>{section}</p>}
          <ul>
            {pages.map(({title, icon: Icon, path: to}) => (
              <li key={to}>
                <PageLink to={to} className={css['navLink']} aria-current={isCurrent(to, path) ? 'page' : undefined}>
                  <Icon />
                  {title}
                </PageLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
