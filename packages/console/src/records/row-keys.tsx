// SPDX-License-Identifier: Apache-2.0
import type {KeyboardEvent, ReactNode} from 'react';
import type {RowField} from './row-field.ts';
import type {ValueMenuAt} from './value-menu.tsx';

/** The row of the grid that has the keyboard focus, and its element. */
function activeRow<Row>(grid: HTMLElement, rows: readonly Row[]) {
  const element = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  return {element, row: rows[Number(element?.getAttribute('aria-rowindex') ?? 0) - 2]};
}

export type RowKeysProps<Row> = {
  /** As shown. */
  readonly rows: readonly Row[];
  /** For the menu of the row (F). */
  readonly fieldsOf: (row: Row) => readonly RowField[];
  readonly onMenu: (at: ValueMenuAt, row: Row) => void;
  /** Other keys, letters in lower case; whether the key does something. `row`: undefined before one was reached. */
  readonly onKey?: (key: string, row: Row | undefined) => boolean;
};

/** The keys of a grid beyond those of the table itself. */
export const rowKeys =
  <Row,>({rows, fieldsOf, onMenu, onKey}: RowKeysProps<Row>) =>
  (event: KeyboardEvent<HTMLElement>): void => {
    const grid = event.target as HTMLElement;
    if (grid.getAttribute('role') !== 'grid' || event.ctrlKey || event.metaKey || event.altKey) return;
    const {element, row} = activeRow(grid, rows);
    const key = event.key.toLowerCase(); // Caps Lock makes F of f
    if (key === 'f' && row !== undefined && element !== null)
      onMenu({fields: fieldsOf(row), element: grid, place: element}, row);
    else if (onKey?.(key, row) !== true) return;
    event.preventDefault();
  };

export type RowKeysFrameProps<Row> = RowKeysProps<Row> & {
  readonly className: string | undefined;
  readonly children: ReactNode;
};

/** Around a grid. */
export const RowKeysFrame = <Row,>({className, children, ...keys}: RowKeysFrameProps<Row>): ReactNode => (
  // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it
  <div className={className} onKeyDown={rowKeys(keys)}>
    {children}
  </div>
);
