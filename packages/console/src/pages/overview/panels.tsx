// SPDX-License-Identifier: Apache-2.0
/** The parts of the overview. Each shows its own error, so one that the user may not read leaves the others as they are. */
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {errorText, isCounted, type LiveState} from '../../api/index.ts';
import {links} from '../../links.ts';
import {PageLink} from '../../routing/link.tsx';
import {
  Badge,
  Loading,
  numberText,
  percentText,
  ReadyRatio,
  Section,
  SeverityBadge,
  type Tone,
} from '../../ui/index.ts';
import {AlertBars} from './alert-bars.tsx';
import {type AlertBar, severitySums, threatsLink} from './model/alerts.ts';
import {shortName} from './model/attention.ts';
import {type SetRow, sumSets} from './model/set-row.ts';
import css from './overview.module.css';

const SHOWN = 8;

/** What is missing, in the server's words. */
export const Unread = ({what, error}: {readonly what?: string; readonly error: string}): ReactNode => (
  <p className={css['unread']}>
    <Badge tone="warn">Not shown</Badge>
    <span>
      {what !== undefined && <strong>{what}:</strong>} {error}
    </span>
  </p>
);

export function SetsPanel({list}: {readonly list: LiveState<SetRow>}): ReactNode {
  const {sets, empty, failing, ready, total} = sumSets(list.rows);
  const isKnown = isCounted(list);
  return (
    <Section title="Endpoints" actions={<PageLink to={links.endpointsList()}>All endpoints</PageLink>}>
      {list.error !== undefined && <Unread error={list.error} />}
      {list.phase === 'loading' && !isKnown && <Loading label="Loading endpoints" rows={5} />}
      {isKnown && (
        <>
          <dl className={css['figures']}>
            <Figure name="Addresses ready" value={`${numberText(ready)} / ${numberText(total)}`} />
            <Figure name="Sets" value={numberText(sets)} />
            <Figure name="Failing" value={numberText(failing.length)} tone={failing.length > 0 ? 'bad' : undefined} />
            <Figure name="Empty" value={numberText(empty)} />
          </dl>
          <ul className={css['rows']}>
            {failing.slice(0, SHOWN).map(({namespace, name, ready: up, total: all}) => (
              <li key={`${namespace}/${name}`}>
                <PageLink to={links.endpoints(namespace, name)}>
                  {namespace}/{name}
                </PageLink>
                <ReadyRatio ready={up} total={all} />
              </li>
            ))}
          </ul>
          {failing.length > SHOWN && (
            <p className={css['more']}>
              <PageLink to={links.endpointsList({failing: '1'})}>All {numberText(failing.length)} failing</PageLink>
            </p>
          )}
          {failing.length === 0 && sets > 0 && <p className="muted">Every set has all of its members ready.</p>}
          {sets === 0 && <p className="muted">No endpoints to show.</p>}
        </>
      )}
    </Section>
  );
}

function Figure({
  name,
  value,
  tone,
}: {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'bad' | undefined;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={tone === undefined ? undefined : css['figureBad']}>{value}</dd>
    </div>
  );
}

const TONES: Readonly<Record<EndpointHealthMessage['status'], Tone>> = {
  READY: 'ok',
  DEGRADED: 'bad',
  FAILED: 'bad',
  WAITING: 'warn',
  STARTING: 'warn',
};
const ORDER: readonly string[] = ['FAILED', 'DEGRADED', 'WAITING', 'STARTING', 'READY'];
const statusWord = (status: string): string => status.slice(0, 1) + status.slice(1).toLowerCase();
const lossText = ({packetLossRatio, packets}: EndpointHealthMessage): string => {
  if (packetLossRatio === undefined || packets === undefined) return '–';
  return `${percentText(packetLossRatio)} loss`;
};

export type SensorsPanelProps = {
  readonly names: readonly string[] | undefined;
  readonly healths: readonly EndpointHealthMessage[];
  readonly error: Error | null | undefined;
};

export function SensorsPanel({names, healths, error}: SensorsPanelProps): ReactNode {
  const sorted = healths.toSorted(
    (a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || (b.packetLossRatio ?? 0) - (a.packetLossRatio ?? 0),
  );
  const ready = healths.filter(({status}) => status === 'READY').length;
  return (
    <Section title="Sensors" actions={<PageLink to={links.idsEndpointsList()}>All IDS endpoints</PageLink>}>
      {error && <Unread error={errorText(error)} />}
      {names === undefined && !error && <Loading label="Loading sensors" rows={5} />}
      {names !== undefined && names.length === 0 && <p className="muted">There are no IDS endpoints yet.</p>}
      {names !== undefined && names.length > 0 && (
        <>
          <dl className={css['figures']}>
            <Figure name="Ready" value={`${numberText(ready)} / ${numberText(names.length)}`} />
            <Figure
              name="Losing packets"
              value={numberText(healths.filter(({packetLossRatio = 0}) => packetLossRatio > 0).length)}
            />
          </dl>
          <ul className={css['rows']}>
            {sorted.slice(0, SHOWN).map(health => (
              <li key={health.endpoint}>
                <PageLink to={links.idsEndpointOf(health.endpoint)}>{shortName(health.endpoint)}</PageLink>
                <span className={css['health']}>
                  <span className="num muted">{lossText(health)}</span>
                  <Badge tone={TONES[health.status]}>{statusWord(health.status)}</Badge>
                </span>
              </li>
            ))}
          </ul>
          {names.length > SHOWN && (
            <p className={css['more']}>
              <PageLink to={links.idsEndpointsList()}>All {numberText(names.length)} IDS endpoints</PageLink>
            </p>
          )}
        </>
      )}
    </Section>
  );
}

export type AlertsPanelProps = {
  readonly bars: readonly AlertBar[] | undefined;
  readonly error: Error | null;
  readonly parent: string;
};

export function AlertsPanel({bars, error, parent}: AlertsPanelProps): ReactNode {
  return (
    <Section title="Alerts of the last 24 hours" actions={<PageLink to={threatsLink(parent)}>All threats</PageLink>}>
      {error !== null && <Unread error={errorText(error)} />}
      {bars === undefined && error === null && <Loading label="Loading alerts" rows={8} />}
      {bars !== undefined && (
        <>
          <ul className={css['sums']}>
            {severitySums(bars).map(({severity, alerts}) => (
              <li key={severity}>
                <PageLink to={threatsLink(parent, severity)} className={css['severity']}>
                  <SeverityBadge severity={severity} /> <span className="num">{numberText(alerts)}</span>
                </PageLink>
              </li>
            ))}
          </ul>
          <AlertBars bars={bars} parent={parent} />
        </>
      )}
    </Section>
  );
}
