// SPDX-License-Identifier: Apache-2.0
/** What else belongs to the same connection: threats and traffic of the flow and of the community id, in the order of time. */
import {useQuery} from '@tanstack/react-query';
import {type ReactNode, useMemo} from 'react';
import {errorText, isForbidden, useApi} from '../../../../api/index.ts';
import {links} from '../../../../links.ts';
import {shortEndpoint} from '../../../../records/row-field.ts';
import {PageLink} from '../../../../routing/link.tsx';
import {
  Badge,
  bytesText,
  countText,
  cx,
  durationText,
  ErrorState,
  Loading,
  Section,
  SeverityBadge,
  useNow,
} from '../../../../ui/index.ts';
import {type Threat, toRow} from '../../model/threat-row.ts';
import css from './related.module.css';
import {offsetText, relatedQuery, type TimelineEntry, timelineOf} from './timeline.ts';

const PAGE_SIZE = 100;
const AGAIN_MS = 10_000;
const RECENT_MS = 3_600_000;

export function Related({threat, back}: {readonly threat: Threat; readonly back: string}): ReactNode {
  const {ids} = useApi();
  const isRecent = useNow() - Date.parse(threat.event_time) < RECENT_MS;
  const asked = useMemo(() => relatedQuery(threat), [threat]);
  const query = useQuery({
    queryKey: ['related', threat.endpoint, threat.id],
    refetchInterval: isRecent ? AGAIN_MS : false,
    queryFn: async ({signal}) => {
      const {scope, ...options} = asked;
      const all = {...options, orderBy: 'event_time', pageSize: PAGE_SIZE, signal};
      const list = (of: string) =>
        Promise.all([ids.listRecords(of, 'threats', all), ids.listRecords(of, 'traffic', all)]);
      // Some users may read one endpoint alone.
      const [threats, traffic] = await list(scope).catch((error: unknown) => {
        if (scope === threat.endpoint || !isForbidden(error)) throw error;
        return list(threat.endpoint);
      });
      const isCut = threats.nextPageToken !== '' || traffic.nextPageToken !== '';
      return {threats: threats.records, traffic: traffic.records, isCut};
    },
  });
  const entries = useMemo(() => timelineOf(threat, query.data ?? {threats: [], traffic: []}), [threat, query.data]);
  return (
    <Section title="Related" actions={query.data && <Badge plain>{entries.length - 1}</Badge>}>
      {query.isError && query.data === undefined ? (
        <ErrorState
          title="Related records cannot be listed"
          text={errorText(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : query.data === undefined ? (
        <Loading label="Loading related records" rows={4} />
      ) : (
        <>
          <p className={css['about']}>
            Same flow or community ID, up to one hour before and after
            {query.data.isCut ? '; the first 100 of each kind' : ''}.
          </p>
          <ol>
            {entries.map(entry => (
              <li key={`${entry.kind} ${entry.key}`} className={cx(css['entry'], entry.by === 'this' && css['this'])}>
                <span className={css['offset']}>{offsetText(entry.offsetMicros)}</span>
                <span className={css['what']}>
                  <Entry entry={entry} back={back} own={threat} />
                </span>
              </li>
            ))}
          </ol>
          {entries.length === 1 && <p className="muted">No other records.</p>}
        </>
      )}
    </Section>
  );
}

type EntryProps = {readonly entry: TimelineEntry; readonly back: string; readonly own: Threat};

function Entry({entry, back, own}: EntryProps): ReactNode {
  const {endpoint} = entry.record;
  const by = [
    entry.by === 'community' ? 'same community ID' : '',
    endpoint === own.endpoint ? '' : `seen by ${shortEndpoint(endpoint)}`,
  ].filter(text => text !== '');
  const note = by.length > 0 && <span className={css['note']}>{by.join(', ')}</span>;
  if (entry.kind === 'traffic') {
    const {record} = entry;
    return (
      <>
        <span>
          <Badge>Traffic</Badge> {record.application === '' ? record.ip_protocol : record.application}
        </span>
        <span className={css['note']}>
          {`${countText(Number(record.total_packets), 'packet')}, ${bytesText(Number(record.total_bytes))}, ${durationText(Number(record.elapsed_time))}`}
        </span>
        {note}
      </>
    );
  }
  const {record} = entry;
  return (
    <>
      <span className={css['name']}>
        <SeverityBadge severity={record.alert_severity} short />
        {entry.by === 'this' ? (
          <strong aria-current="true">{record.name}</strong>
        ) : (
          <PageLink to={links.threat(toRow(record).name, {back})}>{record.name}</PageLink>
        )}
      </span>
      {note}
    </>
  );
}
