// SPDX-License-Identifier: Apache-2.0
import {type ReactNode, type UIEvent, useRef} from 'react';
import {Button, cx, numberText} from '../ui/index.ts';
import css from './live.module.css';
import {type RowKeysProps, rowKeys} from './row-keys.tsx';

/** Scrolled by less than this is still the top. */
const TOP_PX = 8;

export type LiveFrameProps<Row> = RowKeysProps<Row> & {
  readonly feed: {readonly held: number; readonly isOld: boolean; readonly release: () => void};
  readonly onTop: (isTop: boolean) => void;
  readonly children: ReactNode;
};

/** Around the table of a live list: new rows are counted and wait, so that nothing moves while a user reads. */
export function LiveFrame<Row>({feed, onTop, children, ...keys}: LiveFrameProps<Row>): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const scrolled = (event: UIEvent<HTMLElement>): void => {
    const grid = event.target as HTMLElement;
    if (grid.getAttribute('role') === 'grid') onTop(grid.scrollTop < TOP_PX);
  };
  const showNew = (): void => {
    feed.release();
    frame.current?.querySelector('[role="grid"]')?.scrollTo({top: 0});
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the grid in it
    <div
      ref={frame}
      className={cx(css['frame'], feed.isOld && css['old'])}
      aria-busy={feed.isOld}
      onKeyDown={rowKeys(keys)}
      onScrollCapture={scrolled}
    >
      <div role="status">
        {feed.held > 0 && (
          <Button kind="primary" small className={css['new']} onClick={showNew}>
            {`${numberText(feed.held)} new`}
          </Button>
        )}
      </div>
      {children}
    </div>
  );
}
