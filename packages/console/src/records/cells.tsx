// SPDX-License-Identifier: Apache-2.0
/** Cells that the tables of records share. */
import type {ComponentProps, ReactNode} from 'react';
import {cx, parseTime, shortTimeText, useToday} from '../ui/index.ts';
import css from './cells.module.css';
import type {RowField} from './row-field.ts';
import type {ValueMenuAt} from './value-menu.tsx';

export type ValueCellProps = {
  /** undefined: the record has no value. */
  readonly field: RowField | undefined;
  /** Without an ellipsis. */
  readonly isWhole?: boolean;
  readonly onMenu: (at: ValueMenuAt) => void;
  readonly children: ReactNode;
};

/** Looks like text; with the keyboard the row does the same. */
export const CellButton = ({className, ...rest}: ComponentProps<'button'>): ReactNode => (
  <button type="button" tabIndex={-1} className={cx(css['button'], className)} {...rest} />
);

/** A value that opens the menu of filters; with the keyboard the menu of the row has the same. */
export function ValueCell({field, isWhole = false, onMenu, children}: ValueCellProps): ReactNode {
  if (field === undefined) return <span className="muted">–</span>;
  return (
    <CellButton
      className={cx(css['value'], isWhole && css['whole'])}
      title={`${field.title}: ${field.shown}`}
      aria-haspopup="menu"
      onClick={event => onMenu({fields: [field], element: event.currentTarget})}
    >
      {children}
    </CellButton>
  );
}

export const AddressCell = ({ip, port}: {readonly ip: string; readonly port: string}): ReactNode => (
  <span className="num">
    {ip}
    {port !== '' && port !== '0' && <span className="muted">:{port}</span>}
  </span>
);

/** `share` of the largest group, 0 to 1. */
export const ShareCell = ({share}: {readonly share: number}): ReactNode => (
  <span className={css['share']} aria-hidden="true">
    <span style={{width: `${share * 100}%`}} />
  </span>
);

/** The time of a record, short; other texts as they are. */
export function RecordTime({at}: {readonly at: string}): ReactNode {
  const today = useToday();
  const ms = parseTime(at);
  return (
    <time className="num" dateTime={at} title={at}>
      {ms === undefined ? at : shortTimeText(ms, today)}
    </time>
  );
}
