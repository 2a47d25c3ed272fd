// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Dialog, KeyValueList, Time} from '../../../../ui/index.ts';
import type {EventRow} from './event-row.ts';

/** One event with its whole message. */
export function EventDialog({
  row,
  onClose,
}: {
  readonly row: EventRow | undefined;
  readonly onClose: () => void;
}): ReactNode {
  if (row === undefined) return null;
  return (
    <Dialog open onOpenChange={open => !open && onClose()} title={row.reason}>
      <KeyValueList
        pairs={[
          ['Message', row.message],
          ['Type', row.isWarning ? 'Warning' : 'Normal'],
          ['About', row.kind],
          ['Last', <Time key="last" at={row.time} form="both" />],
          ['Count', row.count],
          ['From', row.from === '' ? undefined : row.from],
        ]}
      />
    </Dialog>
  );
}
