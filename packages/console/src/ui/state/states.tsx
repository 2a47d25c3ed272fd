// SPDX-License-Identifier: Apache-2.0
/** What a view shows while it has nothing, no answer yet, or a failure. */
import type {ReactNode} from 'react';
import {Button} from '../base/button.tsx';
import css from './state.module.css';

export type EmptyStateProps = {
  readonly title: string;
  /** What would be here and how to get it. */
  readonly text?: ReactNode;
  readonly action?: ReactNode;
};

export function EmptyState({title, text, action}: EmptyStateProps): ReactNode {
  return (
    <div className={css['state']}>
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {action}
    </div>
  );
}

export type ErrorStateProps = {
  /** `Endpoints cannot be listed`. */
  readonly title: string;
  /** From `errorText`: why, in the server's words. */
  readonly text: string;
  readonly onRetry?: (() => void) | undefined;
  readonly action?: ReactNode;
};

export function ErrorState({title, text, onRetry, action}: ErrorStateProps): ReactNode {
  return (
    <div className={css['state']} role="alert">
      <span className={css['sign']} aria-hidden="true">
        !
      </span>
      <h2>{title}</h2>
      <p className={css['reason']}>{text}</p>
      {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
      {action}
    </div>
  );
}

/** The place of lines that are on their way; nothing moves when they come. After a second the label is visible, too. */
export function Loading({label = 'Loading', rows = 6}: {readonly label?: string; readonly rows?: number}): ReactNode {
  return (
    <div className={css['loading']} role="status" aria-label={label}>
      {Array.from({length: rows}, (_, at) => (
        <Skeleton key={at} width={`${92 - ((at * 17) % 40)}%`} />
      ))}
      <p className={css['waiting']}>{label}…</p>
    </div>
  );
}

export function Skeleton({
  width = '100%',
  height = 12,
}: {
  readonly width?: string;
  readonly height?: number;
}): ReactNode {
  return <span className={css['skeleton']} style={{width, height}} aria-hidden="true" />;
}
