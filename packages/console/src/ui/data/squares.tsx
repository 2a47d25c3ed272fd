// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {cx} from '../class-names.ts';
import css from './data.module.css';

export type SquareState = 'ok' | 'bad' | 'warn' | 'unknown';
export type Square = {readonly state: SquareState /** `10:02:11 connection refused`. */; readonly title: string};

const WORDS: Readonly<Record<SquareState, string>> = {ok: 'passed', bad: 'failed', warn: 'slow', unknown: 'unknown'};

/** `last 20 checks: 18 passed, 2 failed; the last one failed: connection refused`. */
export function squaresText(squares: readonly Square[], what = 'checks'): string {
  const last = squares.at(-1);
  if (last === undefined) return `no ${what} yet`;
  const counts = Map.groupBy(squares, ({state}) => state);
  const parts = [...counts].map(([state, {length}]) => `${length} ${WORDS[state]}`);
  return `last ${squares.length} ${what}: ${parts.join(', ')}; the last one ${WORDS[last.state]}: ${last.title}`;
}

/** A history, oldest first: full height passed, a low bar failed, so that colour is not needed. One text for screen readers. */
export function Squares({squares, what}: {readonly squares: readonly Square[]; readonly what?: string}): ReactNode {
  return (
    <span className={css['squares']} role="img" aria-label={squaresText(squares, what)}>
      {squares.map((square, at) => (
        <span key={at} className={cx(css['square'], css[`square-${square.state}`])} title={square.title} />
      ))}
    </span>
  );
}

/** `3/4` with a bar: numbers line up, the bar shows the share. */
export function ReadyRatio({ready, total}: {readonly ready: number; readonly total: number}): ReactNode {
  const state = total === 0 ? 'unknown' : ready === total ? 'ok' : ready === 0 ? 'bad' : 'warn';
  return (
    <span className={css['ratio']}>
      <span className="num">
        {ready}/{total}
      </span>
      <meter
        className={cx(css['ratioBar'], css[`ratio-${state}`])}
        min={0}
        max={Math.max(1, total)}
        value={ready}
        aria-hidden="true"
      />
    </span>
  );
}
