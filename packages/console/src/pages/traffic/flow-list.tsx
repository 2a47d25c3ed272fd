// SPDX-License-Identifier: Apache-2.0
/** The rows of flows, live: those that come move nothing under somebody who reads. */
import {type KeyboardEvent, type ReactNode, type UIEvent, useMemo, useRef} from 'react';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {Button, cx, ErrorState, numberText, useIsNarrow, VirtualTable} from '../../ui/index.ts';
import {flowColumns} from './columns.tsx';
import css from './traffic.module.css';
import {type FlowRow, fieldsOf} from './traffic-row.ts';
import type {Feed} from './use-traffic.ts';

/** Scrolled by less than this is still the top. */
const TOP_PX = 8;

export type FlowListProps = {
  readonly feed: Feed;
  readonly isPanelOpen: boolean;
  readonly onTop: (isTop: boolean) => void;
  readonly onMenu: (at: ValueMenuAt) => void;
  readonly onPause: () => void;
  readonly onOpen: (row: FlowRow) => void;
  readonly empty: ReactNode;
};

/** The row of the table that the keys are on, and its element. */
function activeRow(grid: HTMLElement, rows: readonly FlowRow[]) {
  const element = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  const index = Number(element?.getAttribute('aria-rowindex') ?? 0) - 2;
  return {element, row: rows[index]};
}

export function FlowList({feed, isPanelOpen, onTop, onMenu, onPause, onOpen, empty}: FlowListProps): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const columns = useMemo(
    () => flowColumns({isNarrow, isCompact: isPanelOpen, onMenu}),
    [isNarrow, isPanelOpen, onMenu],
  );
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const grid = event.target as HTMLElement;
    if (grid.getAttribute('role') !== 'grid' || event.ctrlKey || event.metaKey || event.altKey) return;
    const {element, row} = activeRow(grid, feed.rows);
    if (event.key === 'p') onPause();
    else if (event.key === 'f' && row !== undefined && element !== null)
      onMenu({fields: [...fieldsOf(row).values()], element: grid, place: element});
    else return;
    event.preventDefault();
  };
  const scrolled = (event: UIEvent<HTMLElement>): void => {
    const grid = event.target as HTMLElement;
    if (grid.getAttribute('role') === 'grid') onTop(grid.scrollTop < TOP_PX);
  };
  const showNew = (): void => {
    feed.release();
    frame.current?.querySelector('[role="grid"]')?.scrollTo({top: 0});
  };
  if (feed.phase === 'refused')
    return <ErrorState title="Traffic cannot be listed" text={feed.error ?? ''} onRetry={feed.retry} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it
    <div
      ref={frame}
      className={cx(css['list'], feed.isOld && css['old'])}
      aria-busy={feed.isOld}
      onKeyDown={press}
      onScrollCapture={scrolled}
    >
      <div role="status">
        {feed.held > 0 && (
          <Button kind="primary" small className={css['new']} onClick={showNew}>
            {`${numberText(feed.held)} new`}
          </Button>
        )}
      </div>
      <VirtualTable
        label="Traffic"
        columns={columns}
        rows={feed.rows}
        rowKey={keyOf}
        onOpen={onOpen}
        {...(feed.hasMore ? {onEnd: feed.more} : {})}
        empty={empty}
      />
      {feed.isCut && (
        <p className="muted">The newest 20,000 flows are shown. Narrow the time range to see older ones.</p>
      )}
    </div>
  );
}

const keyOf = ({name}: FlowRow): string => name;
