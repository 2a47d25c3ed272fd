// SPDX-License-Identifier: Apache-2.0
/** The rows of threats, live. */
import type {ThreatAction} from '@palisade/client/browser';
import {useRouterState} from '@tanstack/react-router';
import {type ReactNode, useCallback, useMemo} from 'react';
import {links} from '../../links.ts';
import {LiveFrame} from '../../records/live-frame.tsx';
import type {Marks} from '../../records/use-marks.ts';
import type {ValueMenuAt} from '../../records/value-menu.tsx';
import {useGo} from '../../routing/link.tsx';
import {ErrorState, useIsNarrow, useIsWide, VirtualTable} from '../../ui/index.ts';
import {threatColumns} from './columns.tsx';
import {fieldsOf, type ThreatRow} from './model/threat-row.ts';
import css from './threats.module.css';
import type {Feed} from './use-threat-feed.ts';

export type ThreatListProps = {
  readonly feed: Feed;
  readonly marks: Marks;
  readonly isAll: boolean;
  readonly isOneEndpoint: boolean;
  readonly onTop: (isTop: boolean) => void;
  readonly onMenu: (at: ValueMenuAt, row: ThreatRow) => void;
  /** `row`: the active one. */
  readonly onAct: (action: ThreatAction, row: ThreatRow | undefined) => void;
  readonly onPause: () => void;
  readonly empty: ReactNode;
};

const ACTS: Readonly<Record<string, ThreatAction>> = {a: 'acknowledge', e: 'escalate', c: 'comment'};

export function ThreatList(props: ThreatListProps): ReactNode {
  const {feed, marks, isAll, isOneEndpoint, onTop, onMenu, onAct, onPause, empty} = props;
  const isNarrow = useIsNarrow();
  const isWide = useIsWide();
  const back = useRouterState({select: ({location}) => location.searchStr});
  const go = useGo();
  const isMarked = useCallback((row: ThreatRow) => isAll || marks.has(row), [isAll, marks]);
  const columns = useMemo(
    () => threatColumns({isNarrow, isWide, isOneEndpoint, back, isMarked, onMark: marks.toggle, onMenu}),
    [isNarrow, isWide, isOneEndpoint, back, isMarked, marks.toggle, onMenu],
  );
  const press = (key: string, row: ThreatRow | undefined): boolean => {
    const action = ACTS[key];
    if (action !== undefined) onAct(action, row);
    else if (key === 'p') onPause();
    return action !== undefined || key === 'p';
  };
  if (feed.phase === 'refused')
    return <ErrorState title="Threats cannot be listed" text={feed.error ?? ''} onRetry={feed.retry} />;
  return (
    <LiveFrame {...{feed, onTop, onMenu}} rows={feed.rows} fieldsOf={allFields} onKey={press}>
      <VirtualTable
        dense
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
    </LiveFrame>
  );
}

const allFields = (row: ThreatRow) => [...fieldsOf(row).values()];
const keyOf = ({name}: ThreatRow): string => name;
