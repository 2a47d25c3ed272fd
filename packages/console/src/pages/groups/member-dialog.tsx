// SPDX-License-Identifier: Apache-2.0
import type {ReactNode} from 'react';
import {Badge, Dialog, KeyValueList, Squares, Time} from '../../ui/index.ts';
import css from './groups.module.css';
import {toRegistrationRow} from './model/group-row.ts';
import type {EndpointRegistration} from './model/kinds.ts';
import type {MemberRow} from './model/member-row.ts';
import {checkText} from './model/text.ts';
import {StateBadge} from './state-badge.tsx';

export type MemberDialogProps = {
  readonly row: MemberRow | undefined;
  readonly registration: EndpointRegistration | undefined;
  readonly onClose: () => void;
};

/** Everything about one member at one port. */
export function MemberDialog({row, registration, onClose}: MemberDialogProps): ReactNode {
  return (
    <Dialog open={row !== undefined} onOpenChange={open => !open && onClose()} title={row?.key ?? ''} wide>
      {row !== undefined && (
        <div className={css['dialog']}>
          <KeyValueList
            pairs={[
              ['State', <StateBadge key="state" state={row.state} draining={row.draining} />],
              ['Since', <Time key="since" at={row.since} form="both" />],
              ['Check', row.spec === undefined ? undefined : checkText(row.spec)],
              ['Host', row.host === '' ? undefined : row.host],
              ...registrationPairs(row, registration),
            ]}
          />
          {row.lastError !== '' && (
            <p className={css['error']}>
              <strong>Last error:</strong> {row.lastError}
            </p>
          )}
          <Results {...row} />
        </div>
      )}
    </Dialog>
  );
}

function registrationPairs(
  {registration: name}: MemberRow,
  object: EndpointRegistration | undefined,
): readonly (readonly [string, ReactNode])[] {
  if (name === undefined) return [['Registration', 'not registered: the specification lists this member']];
  if (object === undefined) return [['Registration', name]];
  const row = toRegistrationRow(object);
  return [
    ['Registration', `${name}, of user ${row.user}`],
    [
      'Renewal',
      <span key="renewal">
        {row.state} since <Time at={row.since} form="both" />, expires {row.ttlSeconds}s after its last renewal
        {row.draining && (
          <>
            {' '}
            <Badge tone="warn">Draining</Badge>
          </>
        )}
      </span>,
    ],
    ['Addresses', row.addresses.join(', ')],
  ];
}

function Results({results, squares}: MemberRow): ReactNode {
  if (results.length === 0) return <p className="muted">There are no results of checks.</p>;
  return (
    <div role="region" aria-label="Results of checks" tabIndex={0} className={css['history']}>
      <Squares squares={squares} />
      <table className={css['results']}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Result</th>
            <th scope="col">Took</th>
            <th scope="col">Message</th>
          </tr>
        </thead>
        <tbody>
          {results.map(({time, passed, milliseconds, message}, at) => (
            <tr key={at}>
              <td>
                <Time at={time} form="absolute" />
              </td>
              <td>
                <Badge tone={passed === true ? 'ok' : 'bad'}>{passed === true ? 'Passed' : 'Failed'}</Badge>
              </td>
              <td>{milliseconds === undefined ? '–' : `${milliseconds} ms`}</td>
              <td>{message ?? ''}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
