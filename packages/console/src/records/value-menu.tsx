// SPDX-License-Identifier: Apache-2.0
/** One menu for all cells, at the place of the cell: rows that stream in neither move it nor give it another row. */
import {DropdownMenu as Radix} from 'radix-ui';
import type {ReactNode} from 'react';
import {MenuEntry, type MenuItem} from '../ui/overlay/menu.tsx';
import css from '../ui/overlay/overlay.module.css';
import own from './filter.module.css';
import {exclude, include, only, type Term} from './filter-edit.ts';
import type {RowField} from './row-field.ts';

export type ValueMenuAt = {
  readonly fields: readonly RowField[];
  /** Where the focus goes afterwards, and the place of the menu. */
  readonly element: HTMLElement;
  /** Another place. */
  readonly place?: HTMLElement;
  /** What else can be done with the row. */
  readonly actions?: readonly MenuItem[];
};

export type ValueMenuProps = {
  readonly at: ValueMenuAt | undefined;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly onClose: () => void;
};

const DEEDS: readonly (readonly [label: string, edit: (filter: string, term: Term) => string])[] = [
  ['Include', include],
  ['Exclude', exclude],
  ['Only this', (_, term) => only(term)],
];

export function ValueMenu({at, filter, onFilter, onClose}: ValueMenuProps): ReactNode {
  if (at === undefined) return null;
  const {left, top, width, height} = (at.place ?? at.element).getBoundingClientRect();
  const [first, ...more] = at.fields;
  if (first === undefined) return null;
  const items = ({term}: RowField): ReactNode =>
    DEEDS.map(([label, edit]) => (
      <Radix.Item key={label} className={css['menuItem']} onSelect={() => onFilter(edit(filter, term))}>
        {label}
      </Radix.Item>
    ));
  return (
    <Radix.Root open modal={false} onOpenChange={open => !open && onClose()}>
      <Radix.Trigger className={own['anchor']} tabIndex={-1} style={{left, top, width: Math.min(width, 240), height}}>
        <span className="sr-only">Filter by this value</span>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className={css['menu']}
          sideOffset={2}
          collisionPadding={8}
          align="start"
          onCloseAutoFocus={event => {
            event.preventDefault();
            at.element.focus();
          }}
        >
          {more.length === 0 ? (
            <Radix.Group>
              <Radix.Label className={css['menuTitle']}>{`${first.title}: ${first.shown}`}</Radix.Label>
              {items(first)}
            </Radix.Group>
          ) : (
            <Radix.Group>
              <Radix.Label className={css['menuTitle']}>Filter by</Radix.Label>
              {at.fields.map(field => (
                <Radix.Sub key={field.title}>
                  <Radix.SubTrigger className={css['menuItem']}>{`${field.title}: ${field.shown}`}</Radix.SubTrigger>
                  <Radix.Portal>
                    <Radix.SubContent className={css['menu']} collisionPadding={8}>
                      {items(field)}
                    </Radix.SubContent>
                  </Radix.Portal>
                </Radix.Sub>
              ))}
            </Radix.Group>
          )}
          {at.actions !== undefined && (
            <Radix.Group>
              <Radix.Label className={css['menuTitle']}>Actions</Radix.Label>
              {at.actions.map(action => (
                <MenuEntry key={action.label} {...action} isChoice={false} />
              ))}
            </Radix.Group>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
