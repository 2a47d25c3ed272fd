// SPDX-License-Identifier: Apache-2.0
/** Why there are no flows, and what to do. */
import type {ReactNode} from 'react';
import {links} from '../../links.ts';
import {shortEndpoint} from '../../records/row-field.ts';
import {PageLink} from '../../routing/link.tsx';
import {Button, EmptyState, ErrorState, Loading} from '../../ui/index.ts';
import css from './traffic.module.css';
import {useTrafficLogs} from './use-traffic.ts';
import type {State} from './use-traffic-page.ts';

const LISTED = 8;

export function Nothing({page: {feed, query, look, search}}: {readonly page: State}): ReactNode {
  const logs = useTrafficLogs(search.in);
  if (search.group === '' && feed.phase === 'lost')
    return <ErrorState title="The server does not answer" text={feed.error ?? ''} />;
  if (search.group === '' && !feed.isListed) return <Loading label="Loading traffic" rows={12} />;
  if (query.filter !== '')
    return (
      <EmptyState
        title="No flows match"
        text="Change the filter or the time range."
        action={<Button onClick={() => look({q: ''})}>Clear filter</Button>}
      />
    );
  const showAll = <Button onClick={() => look({range: 'all', from: '', to: ''})}>Show all time</Button>;
  if (logs !== undefined && logs.all.length === 0)
    return (
      <EmptyState
        title="No IDS endpoint"
        text="Create an IDS endpoint with traffic logs, and mirror traffic to it."
        action={<PageLink to={links.idsEndpointsList()}>IDS endpoints</PageLink>}
      />
    );
  if (logs !== undefined && logs.on.length === 0) return <TurnOn endpoints={logs.all} more={showAll} />;
  return (
    <EmptyState
      title="No flows in this time"
      text="A flow is recorded when it has ended, up to a minute later."
      action={showAll}
    />
  );
}

type TurnOnProps = {readonly endpoints: readonly {readonly name?: string}[]; readonly more: ReactNode};

function TurnOn({endpoints, more}: TurnOnProps): ReactNode {
  const names = endpoints.flatMap(({name}) => name ?? []);
  return (
    <EmptyState
      title={names.length === 1 ? 'Traffic logs are off' : 'Traffic logs are off on all endpoints'}
      text="With traffic logs, an endpoint records each flow with its addresses, application, bytes and packets. Open an endpoint and turn them on:"
      action={
        <>
          <ul className={css['turnOn']}>
            {names.slice(0, LISTED).map(name => (
              <li key={name}>
                <PageLink to={links.idsEndpointOf(name)} title={name}>
                  {shortEndpoint(name)}
                </PageLink>
              </li>
            ))}
          </ul>
          {names.length > LISTED && <PageLink to={links.idsEndpointsList()}>All IDS endpoints</PageLink>}
          {more}
        </>
      }
    />
  );
}
