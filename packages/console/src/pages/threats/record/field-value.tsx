// SPDX-License-Identifier: Apache-2.0
/** A value with its menu: copy it, or go to the list with a filter by it. */
import {type ReactNode, useMemo} from 'react';
import {links} from '../../../links.ts';
import {exclude, include, only, type Term} from '../../../records/filter-edit.ts';
import {useGo} from '../../../routing/link.tsx';
import {parseQuery} from '../../../routing/search.ts';
import {cx, Menu, type MenuGroup, toast} from '../../../ui/index.ts';
import type {FieldValue} from './fields.ts';
import css from './record.module.css';
import {backWith, listSearch} from './record-search.ts';

export function copy(text: string): void {
  const failed = (): void => toast('bad', 'The browser gives no access to the clipboard: select the text instead.');
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) failed();
  else clipboard.writeText(text).then(() => toast('ok', 'Copied'), failed);
}

type FieldValueProps = {
  /** Of the field. */
  readonly title: string;
  readonly value: FieldValue;
  /** The search of the list. */
  readonly back: string;
};

export function FieldValueMenu({title, value: {text, term, isCode, page}, back}: FieldValueProps): ReactNode {
  const go = useGo();
  const groups = useMemo<readonly MenuGroup[]>(() => {
    const filter = listSearch(back).q;
    const show = (q: string) => (): void => go(links.threats(parseQuery(backWith(back, q))));
    const filters = (wanted: Term): MenuGroup => ({
      title: 'In the list of threats',
      items: [
        {label: 'Show only this', onSelect: show(only(wanted))},
        {label: 'Include in the filter', onSelect: show(include(filter, wanted))},
        {label: 'Exclude from the filter', onSelect: show(exclude(filter, wanted))},
      ],
    });
    return [
      {
        items: [
          {label: 'Copy', onSelect: () => copy(term?.value ?? text)},
          ...(page === undefined ? [] : [{label: page.label, onSelect: () => go(page.to)}]),
        ],
      },
      ...(term === undefined ? [] : [filters(term)]),
    ];
  }, [text, term, page, back, go]);
  return (
    <Menu
      groups={groups}
      trigger={
        <button type="button" className={cx(css['value'], isCode && 'mono')} aria-label={`${title}: ${text}`}>
          {text}
        </button>
      }
    />
  );
}
