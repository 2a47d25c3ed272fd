// SPDX-License-Identifier: Apache-2.0
/** The rows of flows, live. */
import {type ReactNode, useMemo} from 'react';
import {LiveFrame} from '../../records/live-frame.tsx';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {ErrorState, useFitsColumns, useIsNarrow, useIsWide, VirtualTable} from '../../ui/index.ts';
import {flowColumns} from './columns.tsx';
import {type FlowRow, fieldsOf} from './traffic-row.ts';
import type {Feed} from './use-traffic.ts';

export type FlowListProps = {
  readonly feed: Feed;
  readonly isPanelOpen: boolean;
  readonly onTop: (isTop: boolean) => void;
  readonly onMenu: (at: ValueMenuAt) => void;
  readonly onPause: () => void;
  /** Always the same function. */
  readonly onOpen: (row: FlowRow) => void;
  readonly empty: ReactNode;
};

export function FlowList({feed, isPanelOpen, onTop, onMenu, onPause, onOpen, empty}: FlowListProps): ReactNode {
  const isNarrow = useIsNarrow();
  const fitsColumns = useFitsColumns();
  const isWide = useIsWide();
  const columns = useMemo(
    () => flowColumns({isNarrow, isCompact: isPanelOpen, isTight: isPanelOpen && !fitsColumns, isWide, onOpen, onMenu}),
    [isNarrow, isPanelOpen, fitsColumns, isWide, onOpen, onMenu],
  );
  const press = (key: string): boolean => {
    if (key === 'p') onPause();
    return key === 'p';
  };
  if (feed.phase === 'refused')
    return <ErrorState title="Traffic cannot be listed" text={feed.error ?? ''} onRetry={feed.retry} />;
  return (
    <LiveFrame {...{feed, onTop, onMenu}} rows={feed.rows} fieldsOf={allFields} onKey={press}>
      <VirtualTable
        label="Traffic"
        columns={columns}
        rows={feed.rows}
        rowKey={keyOf}
        onOpen={onOpen}
        dense={isPanelOpen}
        {...(feed.hasMore ? {onEnd: feed.more} : {})}
        empty={empty}
      />
      {feed.isCut && (
        <p className="muted">The newest 20,000 flows are shown. Narrow the time range to see older ones.</p>
      )}
    </LiveFrame>
  );
}

const allFields = (row: FlowRow) => [...fieldsOf(row).values()];
const keyOf = ({name}: FlowRow): string => name;
