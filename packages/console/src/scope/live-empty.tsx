// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import type {LiveState} from '../api/index.ts';
import {Button, EmptyState, ErrorState, Loading} from '../ui/index.ts';

export type LiveEmptyProps = {
  /** `groups`. */
  readonly what: string;
  readonly list: LiveState<unknown>;
  /** What makes the first one. */
  readonly text: string;
  readonly action?: ReactNode;
  /** The one that is listed; '' or left out: all. */
  readonly namespace?: string;
  readonly onClear: () => void;
};

/** What a table without rows shows: why it has none. */
export function LiveEmpty({what, list, text, action, namespace = '', onClear}: LiveEmptyProps): ReactNode {
  if (list.phase === 'lost') return <ErrorState title="The server does not answer" text={list.error ?? ''} />;
  if (list.phase === 'loading') return <Loading label={`Loading ${what}`} rows={10} />;
  const isNone = list.rows.length === 0;
  if (isNone && namespace === '') return <EmptyState title={`There are no ${what}`} text={text} action={action} />;
  return (
    <EmptyState
      title={isNone ? `No ${what} in this namespace` : `No ${what} match`}
      text="Change or clear the filters."
      action={<Button onClick={onClear}>Clear filters</Button>}
    />
  );
}
