// SPDX-License-Identifier: Apache-2.0
import {type ColumnDef, getCoreRowModel, useReactTable} from '@tanstack/react-table';
import {useVirtualizer} from '@tanstack/react-virtual';
import {type MouseEvent, memo, type ReactNode, useCallback, useId, useLayoutEffect, useMemo, useRef} from 'react';
import {cx} from '../class-names.ts';
import {useIsNarrow} from '../use-screen.ts';
import {type Column, findNear, nextSort, type Sort, sortDirection, templateOf} from './columns.ts';
import css from './table.module.css';
import {useActiveRow} from './use-active-row.ts';

/** --row of the tokens. */
const ROW_PX = 34;
const OVERSCAN = 12;
/** Rows before the end at which onEnd is called. */
const END_ROWS = 50;

export type VirtualTableProps<Row> = {
  /** What the rows are: `Endpoints`. */
  readonly label: string;
  /** Define them outside of the component, or with useMemo. */
  readonly columns: readonly Column<Row>[];
  /** In the order they are shown: sortRows before. */
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
  /** Enter, or a click on the row. */
  readonly onOpen?: (row: Row) => void;
  /** Space: marks the row, or takes the mark away. */
  readonly onToggle?: (row: Row) => void;
  readonly isMarked?: (row: Row) => boolean;
  /** The end is near: the next page may be fetched. */
  readonly onEnd?: () => void;
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  /** Less room between columns, for tables with many. */
  readonly dense?: boolean;
};

/**
 * A table of any length: only the visible rows are in the document. Arrow keys, Page Up and Down, Home and End move, Enter opens.
 * Rows that come above those that are looked at do not move them.
 */
export function VirtualTable<Row>(props: VirtualTableProps<Row>): ReactNode {
  const {label, columns, rows, rowKey, sort = '', onSort, onOpen, onToggle, isMarked, onEnd, empty, dense} = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useShownColumns(columns);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollPaddingStart: ROW_PX,
  });
  const page = (): number => Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
  const reveal = (index: number): void => virtual.scrollToIndex(index);
  const active = useActiveRow({rows, rowKey, page, reveal, onOpen, onToggle});
  useKeptPlace(scroller, rows, rowKey);
  const items = virtual.getVirtualItems();
  useEnd(items.at(-1)?.index ?? -1, rows.length, onEnd);
  const press = useStable((index: number): void => {
    active.setIndex(index);
    const row = rows[index];
    if (row !== undefined) onOpen?.(row);
  });
  const template = useMemo(() => ({gridTemplateColumns: templateOf(shown)}), [shown]);
  const minWidth = shown.reduce((sum, {width}) => sum + width, 0);
  const isActiveShown = items.some(item => item.index === active.index);
  return (
    <div className={css['frame']}>
      <div
        ref={scroller}
        className={cx(css['scroller'], dense && css['dense'])}
        role="grid"
        tabIndex={0}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-colcount={shown.length}
        aria-activedescendant={isActiveShown ? `${id}-${active.index}` : undefined}
        onKeyDown={active.onKeyDown}
      >
        <div role="rowgroup" className={css['head']} style={{minWidth}}>
          <HeadRow {...{sort, onSort, template}} columns={shown} />
        </div>
        {rows.length > 0 && (
          <div role="rowgroup" className={css['body']} style={{minWidth, height: virtual.getTotalSize()}}>
            {items.map(({key, index, start}) => {
              const row = rows[index] as Row;
              return (
                <BodyRow
                  key={key}
                  {...{row, index, template}}
                  id={`${id}-${index}`}
                  top={start}
                  columns={shown}
                  isActive={index === active.index}
                  isMarked={isMarked?.(row)}
                  opens={onOpen !== undefined}
                  onPress={press}
                />
              );
            })}
          </div>
        )}
      </div>
      {rows.length === 0 && <div className={css['empty']}>{empty}</div>}
    </div>
  );
}

/** Calls `onEnd` once each time the last row that is in the document comes near the end. */
function useEnd(lastIndex: number, count: number, onEnd: (() => void) | undefined): void {
  const isNearEnd = count > 0 && lastIndex >= count - END_ROWS;
  // More rows that are still near the end are another time.
  useLayoutEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, count, onEnd]);
}

const NO_ROWS: never[] = [];
const rowModel = getCoreRowModel();

/** The columns that this screen has room for. */
function useShownColumns<Row>(columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const isNarrow = useIsNarrow();
  const definitions = useMemo(
    () => columns.map((column): ColumnDef<Row> => ({id: column.id, header: column.title, meta: column})),
    [columns],
  );
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({id, wideOnly = false}) => [id, !(isNarrow && wideOnly)])),
    [columns, isNarrow],
  );
  const leaves = useReactTable<Row>({
    data: NO_ROWS,
    columns: definitions,
    state: {columnVisibility},
    getCoreRowModel: rowModel,
  }).getVisibleLeafColumns();
  return useMemo(() => leaves.map(({columnDef}) => columnDef.meta as Column<Row>), [leaves]);
}

/** Always the same function, which does what `work` of the last render does. */
function useStable<T>(work: (value: T) => void): (value: T) => void {
  const latest = useRef(work);
  latest.current = work;
  return useCallback(value => latest.current(value), []);
}

/** Keeps the first row that is seen where it is when rows come or go above it. At the very top new rows are let in. */
function useKeptPlace<Row>(
  scroller: {readonly current: HTMLDivElement | null},
  rows: readonly Row[],
  rowKey: (row: Row) => string,
): void {
  const kept = useRef<readonly Row[]>(rows);
  useLayoutEffect(() => {
    const before = kept.current;
    kept.current = rows;
    const element = scroller.current;
    if (element === null || before === rows || element.scrollTop < ROW_PX) return;
    const oldIndex = Math.floor(element.scrollTop / ROW_PX);
    const anchor = before[oldIndex];
    if (anchor === undefined) return;
    const key = rowKey(anchor);
    const index = findNear(rows, oldIndex, row => rowKey(row) === key);
    if (index >= 0 && index !== oldIndex) element.scrollTop += (index - oldIndex) * ROW_PX;
  }, [rows, rowKey, scroller]);
}

type Template = {readonly gridTemplateColumns: string};
type Sorting = {readonly sort: Sort; readonly onSort: ((sort: Sort) => void) | undefined};
type HeadRowProps<Row> = Sorting & {readonly columns: readonly Column<Row>[]; readonly template: Template};

function HeadRow<Row>({columns, template, sort, onSort}: HeadRowProps<Row>): ReactNode {
  return (
    <div role="row" aria-rowindex={1} className={css['row']} style={template}>
      {columns.map(column => (
        <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
      ))}
    </div>
  );
}

type HeaderCellProps<Row> = Sorting & {readonly column: Column<Row>};

function HeaderCell<Row>({column, sort, onSort}: HeaderCellProps<Row>): ReactNode {
  const direction = sortDirection(sort, column.id);
  const sortable = column.compare !== undefined && onSort !== undefined;
  return (
    <div
      role="columnheader"
      className={cx(css['cell'], css['headCell'], column.align === 'right' && css['right'])}
      aria-sort={sortable ? (direction ?? 'none') : undefined}
    >
      {sortable ? (
        <button type="button" className={css['sort']} onClick={() => onSort(nextSort(sort, column.id))}>
          <span className={css['sortTitle']}>{column.title}</span>
          <span aria-hidden="true" className={css['arrow']}>
            {direction === 'ascending' ? '↑' : direction === 'descending' ? '↓' : ''}
          </span>
        </button>
      ) : (
        column.title
      )}
    </div>
  );
}

type BodyRowProps<Row> = {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly template: Template;
  readonly isActive: boolean;
  readonly isMarked: boolean | undefined;
  readonly opens: boolean;
  readonly onPress: (index: number) => void;
};

function PlainRow<Row>(props: BodyRowProps<Row>): ReactNode {
  const {id, index, top, row, columns, template, isActive, isMarked, opens, onPress} = props;
  const click = (event: MouseEvent<HTMLElement>): void => {
    const onControl = (event.target as HTMLElement).closest('a, button, input, select, label') !== null;
    if (onControl || globalThis.getSelection()?.type === 'Range') return;
    onPress(index);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys of all rows
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isMarked}
      className={cx(css['row'], css['bodyRow'], isActive && css['active'], opens && css['opens'])}
      style={{...template, transform: `translateY(${top}px)`}}
      onClick={click}
    >
      {columns.map(column => (
        <div key={column.id} role="gridcell" className={cx(css['cell'], column.align === 'right' && css['right'])}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** A scroll by one row builds one row, not all that are seen. */
const BodyRow = memo(PlainRow) as typeof PlainRow;
