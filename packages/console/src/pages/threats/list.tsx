// SPDX-License-Identifier: Apache-2.0
/** The rows of threats, live: those that come move nothing under somebody who reads. */
import type {ThreatAction} from '@palisade/client/browser';
import {useRouterState} from '@tanstack/react-router';
import {type KeyboardEvent, type ReactNode, type UIEvent, useCallback, useMemo, useRef} from 'react';
import {links} from '../../links.ts';
import type {Marks} from '../../records/use-marks.ts';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {useGo} from '../../routing/link.tsx';
import {Button, cx, ErrorState, numberText, useIsNarrow, useIsWide, VirtualTable} from '../../ui/index.ts';
import {threatColumns} from './columns.tsx';
import {fieldsOf, type ThreatRow} from './model/threat-row.ts';
import css from './threats.module.css';
import type {Feed} from './use-threat-feed.ts';

/** Scrolled by less than this is still the top. */
const TOP_PX = 8;

export type ThreatListProps = {
  readonly feed: Feed;
  readonly marks: Marks;
  readonly isAll: boolean;
  readonly isOneEndpoint: boolean;
  readonly onTop: (isTop: boolean) => void;
  readonly onMenu: (at: ValueMenuAt) => void;
  /** `row`: the one that the keys are on. */
  readonly onAct: (action: ThreatAction, row: ThreatRow | undefined) => void;
  readonly onPause: () => void;
  readonly empty: ReactNode;
};

const ACTS: Readonly<Record<string, ThreatAction>> = {a: 'acknowledge', e: 'escalate', c: 'comment'};

/** The row of the table that the keys are on, and its element. */
function activeRow(grid: HTMLElement, rows: readonly ThreatRow[]) {
  const element = document.getElementById(grid.getAttribute('aria-activedescendant') ?? '');
  const row = rows[Number(element?.getAttribute('aria-rowindex') ?? 0) - 2];
  return {element, row};
}

export function ThreatList(props: ThreatListProps): ReactNode {
  const {feed, marks, isAll, isOneEndpoint, onTop, onMenu, onAct, onPause, empty} = props;
  const frame = useRef<HTMLDivElement>(null);
  const isNarrow = useIsNarrow();
  const isWide = useIsWide();
  const back = useRouterState({select: ({location}) => location.searchStr});
  const go = useGo();
  const isMarked = useCallback((row: ThreatRow) => isAll || marks.has(row), [isAll, marks]);
  const columns = useMemo(
    () => threatColumns({isNarrow, isWide, isOneEndpoint, back, isMarked, onMark: marks.toggle, onMenu}),
    [isNarrow, isWide, isOneEndpoint, back, isMarked, marks.toggle, onMenu],
  );
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const grid = event.target as HTMLElement;
    if (grid.getAttribute('role') !== 'grid' || event.ctrlKey || event.metaKey || event.altKey) return;
    const {element, row} = activeRow(grid, feed.rows);
    const action = ACTS[event.key];
    if (action !== undefined) onAct(action, row);
    else if (event.key === 'p') onPause();
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
    return <ErrorState title="Threats cannot be listed" text={feed.error ?? ''} onRetry={feed.retry} />;
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
        label="Threats"
        columns={columns}
        rows={feed.rows}
        rowKey={keyOf}
        onOpen={row => go(links.threat(row.name, {back}))}
        onToggle={marks.toggle}
        isMarked={isMarked}
        {...(feed.hasMore ? {onEnd: feed.more} : {})}
        empty={empty}
      />
      {feed.isCut && (
        <p className={css['note']}>The newest 20,000 threats are shown. Narrow the time range to see older ones.</p>
      )}
    </div>
  );
}

const keyOf = ({name}: ThreatRow): string => name;
