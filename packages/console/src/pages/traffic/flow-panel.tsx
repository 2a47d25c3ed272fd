// SPDX-License-Identifier: Apache-2.0
/** One flow: its fields, its protocol, and the threats that are of it. */
import {type ReactNode, useState} from 'react';
import {errorText} from '../../api/index.ts';
import {links} from '../../links.ts';
import {EventFields} from '../../records/event-fields.tsx';
import {exclude, include, only} from '../../records/filter-edit.ts';
import {shortEndpoint} from '../../records/row-field.ts';
import {PageLink} from '../../routing/link.tsx';
import {
  Button,
  bytesText,
  CodeBlock,
  CopyButton,
  durationText,
  ErrorState,
  KeyValueList,
  Loading,
  Menu,
  numberText,
  SeverityBadge,
  SidePanel,
  Skeleton,
  Time,
} from '../../ui/index.ts';
import {protocolsOf} from '../threats/record/protocol.ts';
import css from './traffic.module.css';
import {type Flow, fieldsOf, toRow} from './traffic-row.ts';
import {aroundFlow, projectOf, relatedFilter, useContextOf, useFlow, useRelatedThreats} from './use-traffic.ts';

export type FlowPanelProps = {
  readonly id: string;
  readonly known: Flow | undefined;
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
  readonly onClose: () => void;
};

const WIDTH_PX = 410;

export function FlowPanel({id, known, filter, onFilter, onClose}: FlowPanelProps): ReactNode {
  const query = useFlow(id, known);
  const flow = known ?? query.data;
  return (
    <SidePanel label="Flow" title="Flow" width={WIDTH_PX} closeLabel="Close flow" onClose={onClose}>
      {flow !== undefined ? (
        <Details flow={flow} filter={filter} onFilter={onFilter} />
      ) : query.isError ? (
        <ErrorState
          title="The flow cannot be shown"
          text={errorText(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <Loading label="Loading the flow" rows={8} />
      )}
    </SidePanel>
  );
}

const end = (ip: string, port: string): string => (port === '' || port === '0' ? ip : `${ip} port ${port}`);

/** `881 B`, `78.2 KiB (80,123 bytes)`. */
const exactBytes = (bytes: number): string =>
  bytes < 1_024 ? bytesText(bytes) : `${bytesText(bytes)} (${numberText(bytes)} bytes)`;

function pairsOf(flow: Flow): readonly (readonly [string, ReactNode])[] {
  const {community_id: community, sample_rate: rate} = flow;
  return [
    [
      'Source',
      <span key="s" className="num">
        {end(flow.source_ip_address, flow.source_port)}
      </span>,
    ],
    [
      'Destination',
      <span key="d" className="num">
        {end(flow.destination_ip_address, flow.destination_port)}
      </span>,
    ],
    ['Protocol', flow.ip_protocol],
    ['Application', flow.application === '' ? undefined : flow.application],
    ['Began', <Time key="b" at={flow.event_time} form="both" />],
    ['Duration', durationText(Number(flow.elapsed_time))],
    ['Bytes', exactBytes(Number(flow.total_bytes))],
    ['Packets', numberText(Number(flow.total_packets))],
    [
      'Endpoint',
      <PageLink key="e" to={links.idsEndpointOf(flow.endpoint)} title={flow.endpoint}>
        {shortEndpoint(flow.endpoint)}
      </PageLink>,
    ],
    ['Network', flow.network === '' ? undefined : flow.network],
    [
      'Session',
      <span key="n" className="mono">
        {flow.session_id}
      </span>,
    ],
    [
      'Community ID',
      community === undefined ? undefined : (
        <span key="c" className={css['copied']}>
          <span className="mono">{community}</span>
          <CopyButton text={community} label="Copy community ID" />
        </span>
      ),
    ],
    ['Sampled', rate === undefined ? undefined : `1 of ${rate} flows is recorded`],
  ];
}

type DetailsProps = {readonly flow: Flow} & Pick<FlowPanelProps, 'filter' | 'onFilter'>;

function Details({flow, filter, onFilter}: DetailsProps): ReactNode {
  const threats = useRelatedThreats(flow);
  const fields = [...fieldsOf(toRow(flow)).values()];
  const item = (title: string, edit: typeof include) => ({
    title,
    items: fields.map(field => ({
      label: `${field.title}: ${field.shown}`,
      onSelect: () => onFilter(edit(filter, field.term)),
    })),
  });
  return (
    <>
      <div className={css['actions']}>
        <Menu trigger={<Button small>Include</Button>} groups={[item('Include', include)]} />
        <Menu trigger={<Button small>Exclude</Button>} groups={[item('Exclude', exclude)]} />
        <Menu trigger={<Button small>Only</Button>} groups={[item('Only this', (_, term) => only(term))]} />
      </div>
      <KeyValueList pairs={pairsOf(flow)} />
      <h3>Threats of this flow</h3>
      {threats.isError ? (
        <p className={css['failed']}>{errorText(threats.error)}</p>
      ) : threats.data === undefined ? (
        <Skeleton width="70%" />
      ) : threats.data.length === 0 ? (
        <p className="muted">None within an hour of the flow.</p>
      ) : (
        <Threats flow={flow} threats={threats.data} />
      )}
    </>
  );
}

type Threats = NonNullable<ReturnType<typeof useRelatedThreats>['data']>;
const LISTED = 10;

function Threats({flow, threats}: {readonly flow: Flow; readonly threats: Threats}): ReactNode {
  const {since, until} = aroundFlow(flow);
  const all = links.threats({q: relatedFilter(flow), in: projectOf(flow), from: since, to: until});
  return (
    <>
      <ul className={css['threats']}>
        {threats.slice(0, LISTED).map(threat => (
          <li key={`${threat.endpoint}/${threat.id}`}>
            <SeverityBadge severity={threat.alert_severity} short />
            <PageLink to={links.threat(`${threat.endpoint}/threats/${threat.id}`)}>{threat.name}</PageLink>
            <Time at={threat.event_time} form="age" />
          </li>
        ))}
      </ul>
      <PageLink to={all}>
        {threats.length > LISTED ? `All of them, ${threats.length - LISTED} more` : 'Show them on the threats page'}
      </PageLink>
      <Context threats={threats} />
    </>
  );
}

/** From the evidence of the newest threat. */
function Context({threats}: {readonly threats: Threats}): ReactNode {
  const context = useContextOf(threats);
  const [isWhole, setWhole] = useState(false);
  if (context.isError) return <p className={css['failed']}>{errorText(context.error)}</p>;
  if (context.data === undefined) return <Skeleton width="60%" />;
  const {absent, withheld} = context.data;
  if (absent !== undefined || withheld !== undefined) return <p className="muted">{absent ?? withheld}</p>;
  // The counters of the flow are those at the alert; the record above has the final ones.
  const found = protocolsOf(context.data).filter(({id}) => id !== 'flow');
  return (
    <>
      {found.map(({id, title, rows}) => (
        <section key={id} className={css['context']}>
          <h3>{title}</h3>
          <EventFields rows={rows} />
        </section>
      ))}
      {context.data.event !== undefined && (
        <>
          <Button small onClick={() => setWhole(before => !before)} aria-expanded={isWhole}>
            {isWhole ? 'Hide the event' : 'Show the event as Suricata wrote it'}
          </Button>
          {isWhole && <CodeBlock text={JSON.stringify(context.data.event, null, 2)} label="event" />}
        </>
      )}
    </>
  );
}
