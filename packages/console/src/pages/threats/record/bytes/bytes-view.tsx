// SPDX-License-Identifier: Apache-2.0
/** Bytes as a hex dump or as text; only the rows that are seen are in the document. */
import {useVirtualizer} from '@tanstack/react-virtual';
import {type ReactNode, useMemo, useRef} from 'react';
import {cx, useIsNarrow} from '../../../../ui/index.ts';
import css from './bytes.module.css';
import {hexRow, markedBytes, type Range, type Run, textRows} from './bytes.ts';

/** --hex-row of bytes.module.css. */
const ROW_PX = 20;
const OVERSCAN = 20;
const WIDE = {hex: 16, text: 96} as const;
const NARROW = {hex: 8, text: 34} as const;

export type BytesViewProps = {
  readonly bytes: Uint8Array;
  readonly ranges: readonly Range[];
  readonly form: 'hex' | 'text';
  /** `Payload`. */
  readonly label: string;
};

export function BytesView({bytes, ranges, form, label}: BytesViewProps): ReactNode {
  const width = useIsNarrow() ? NARROW : WIDE;
  const scroller = useRef<HTMLDivElement>(null);
  const marked = useMemo(() => markedBytes(bytes.length, ranges), [bytes, ranges]);
  const lines = useMemo(
    () => (form === 'text' ? textRows(bytes, marked, width.text) : []),
    [form, bytes, marked, width.text],
  );
  const count = form === 'text' ? lines.length : Math.ceil(bytes.length / width.hex);
  const virtual = useVirtualizer({
    ...{count, overscan: OVERSCAN},
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
  });
  const row = (index: number): ReactNode => {
    if (form === 'text') {
      const line = lines[index];
      return (
        line !== undefined && (
          <>
            <span className={css['offset']}>{line.offset}</span>
            <Runs runs={line.runs} />
          </>
        )
      );
    }
    const {offset, hex, ascii} = hexRow(bytes, marked, index, width.hex);
    return (
      <>
        <span className={css['offset']}>{offset}</span>
        <span className={width.hex === WIDE.hex ? css['hexWide'] : css['hexNarrow']}>
          <Runs runs={hex} />
        </span>
        <Runs runs={ascii} />
      </>
    );
  };
  return (
    <div
      ref={scroller}
      className={css['view']}
      tabIndex={0}
      role="region"
      aria-label={`${label} as ${form === 'hex' ? 'hexadecimal' : 'text'}`}
    >
      <div className={css['rows']} style={{height: virtual.getTotalSize()}}>
        {virtual.getVirtualItems().map(({index, start}) => (
          <div key={index} className={css['row']} style={{transform: `translateY(${start}px)`}}>
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}

const Runs = ({runs}: {readonly runs: readonly Run[]}): ReactNode => (
  <span>
    {runs.map(({text, isMarked, isOdd}, at) =>
      isMarked ? (
        <mark key={at} className={css['mark']}>
          {text}
        </mark>
      ) : (
        <span key={at} className={cx(isOdd && css['odd'])}>
          {text}
        </span>
      ),
    )}
  </span>
);
