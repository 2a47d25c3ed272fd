// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Badge, Dialog, KeyValueList, Squares, Time} from '../../../../ui/index.ts';
import {squaresOf} from '../../../groups/model/checks.ts';
import css from '../set.module.css';
import {type MemberRow, STATE_WORD} from './members.ts';

const orNothing = (text: string): string | undefined => (text === '' ? undefined : text);

/** All that is known of one member, with each result of its checks. */
export function MemberDialog({
  row,
  isChecked,
  onClose,
}: {
  readonly row: MemberRow | undefined;
  readonly isChecked: boolean;
  readonly onClose: () => void;
}): ReactNode {
  if (row === undefined) return null;
  return (
    <Dialog open onOpenChange={open => !open && onClose()} title={`${row.address} ${row.ports}`} wide={isChecked}>
      <KeyValueList
        pairs={[
          ['State', STATE_WORD[row.state]],
          ['Since', row.since === undefined ? undefined : <Time key="since" at={row.since} form="both" />],
          ['Reason', orNothing(row.reason)],
          ['Hostname', orNothing(row.hostname)],
          ['Node', orNothing(row.node)],
          ['Target', orNothing(row.target)],
          ['Checks', row.results.length === 0 ? undefined : <Squares key="checks" squares={squaresOf(row.results)} />],
        ]}
      />
      {!isChecked && (
        <p className={css['remark']}>
          No group composes this set, so the API has no checks of its members, nor the time of their state.
        </p>
      )}
      {row.results.length > 0 && (
        <ul className={css['results']} aria-label="Results of the checks, the newest first">
          {row.results.map((result, at) => (
            <li key={`${result.time} ${at}`}>
              <Time at={result.time} form="absolute" />
              <Badge tone={result.passed === true ? 'ok' : 'bad'}>{result.passed === true ? 'Passed' : 'Failed'}</Badge>
              <span className="num">{result.milliseconds === undefined ? '' : `${result.milliseconds} ms`}</span>
              <span>{result.message}</span>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
