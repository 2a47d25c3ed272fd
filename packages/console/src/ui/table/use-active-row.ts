// SPDX-License-Identifier: Apache-2.0
import {type KeyboardEvent, useState} from 'react';
import {findNear} from './columns.ts';

/** Where a key leads from `at`; undefined: the key is not ours. `page`: rows that are seen at once. */
export function moveTo(key: string, at: number, count: number, page: number): number | undefined {
  const last = count - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at < 0 ? 0 : at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined || count === 0 ? undefined : Math.min(last, Math.max(0, target));
}

type Options<Row> = {
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly page: () => number;
  readonly reveal: (index: number) => void;
  readonly onOpen: ((row: Row) => void) | undefined;
  readonly onToggle: ((row: Row) => void) | undefined;
};

/** The row that keys act on. It is kept by its key: rows that stream in do not move it to another row. */
export function useActiveRow<Row>({rows, rowKey, page, reveal, onOpen, onToggle}: Options<Row>) {
  const [active, setActive] = useState<{readonly key: string; readonly index: number} | undefined>();
  const index = active === undefined ? -1 : findNear(rows, active.index, row => rowKey(row) === active.key);
  const setIndex = (next: number): void => {
    const row = rows[next];
    if (row === undefined) return;
    setActive({key: rowKey(row), index: next});
    reveal(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return; // keys of a link or button in a cell are theirs
    const row = rows[index];
    const next =
      event.altKey || event.ctrlKey || event.metaKey ? undefined : moveTo(event.key, index, rows.length, page());
    if (next !== undefined) setIndex(next);
    else if (event.key === 'Enter' && row !== undefined && onOpen !== undefined) onOpen(row);
    else if (event.key === ' ' && row !== undefined && onToggle !== undefined) onToggle(row);
    else return;
    event.preventDefault();
  };
  return {index, setIndex, onKeyDown};
}
