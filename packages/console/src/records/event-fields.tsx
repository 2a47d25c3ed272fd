// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {KeyValueList} from '../ui/index.ts';
import {fieldLabel} from './field-label.ts';

/** Fields of an event of Suricata with their labels; the name in EVE is the hint of the value. */
export const EventFields = ({
  rows,
}: {
  readonly rows: readonly {readonly path: string; readonly text: string}[];
}): ReactNode => (
  <KeyValueList
    pairs={rows.map(({path, text}) => [
      fieldLabel(path),
      <span key={path} className="mono" title={path}>
        {text === '' ? <span className="muted">empty</span> : text}
      </span>,
    ])}
  />
);
