// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {wallClock} from '../clock.ts';
import {Badge, Button} from '../ui/index.ts';
import css from './live.module.css';
import {isOpenEnded, type RangeSearch} from './time-range.ts';

export type LiveStateProps = {
  readonly range: RangeSearch;
  readonly feed: {readonly phase: string; readonly error?: string | undefined};
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
};

/** Whether rows come by themselves, and the button that pauses them. */
export function LiveState({range, feed, isPaused, onPause}: LiveStateProps): ReactNode {
  if (!isOpenEnded(range, wallClock())) return <Badge>Fixed time</Badge>;
  if (feed.phase === 'refused') return null;
  return (
    <span className={css['state']} role="status">
      {isPaused ? <Badge>Paused</Badge> : <Connection {...feed} />}
      <Button small onClick={() => onPause(!isPaused)}>
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
    </span>
  );
}

function Connection({phase, error}: LiveStateProps['feed']): ReactNode {
  if (phase === 'live') return <Badge tone="ok">Live</Badge>;
  if (phase !== 'lost') return <Badge>Connecting</Badge>;
  return (
    <Badge tone="bad" {...(error === undefined ? {} : {title: error})}>
      Connection lost
    </Badge>
  );
}
