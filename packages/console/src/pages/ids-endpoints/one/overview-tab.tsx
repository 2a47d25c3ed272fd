// SPDX-License-Identifier: Apache-2.0
import type {IdsEndpoint} from '@palisade/client/browser';
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import type {ReactNode} from 'react';
import {errorText} from '../../../api/index.ts';
import type {SetSearch} from '../../../routing/use-search-state.ts';
import {
  Badge,
  durationText,
  ErrorState,
  KeyValueList,
  Loading,
  numberText,
  percentText,
  Section,
  Time,
  useNow,
} from '../../../ui/index.ts';
import css from '../ids-endpoints.module.css';
import {blindTimes, healthWord} from '../model/health.ts';
import type {OneSearch} from '../model/one-search.ts';
import {useHealth} from '../queries.ts';
import {FiguresSection} from './figures-section.tsx';
import {Settings} from './settings.tsx';

export type OverviewTabProps = {
  readonly name: string;
  readonly endpoint: IdsEndpoint;
  readonly search: OneSearch;
  readonly setSearch: SetSearch<OneSearch>;
};

export function OverviewTab({name, endpoint, search, setSearch}: OverviewTabProps): ReactNode {
  const health = useHealth(name);
  return (
    <div className={css['overview']}>
      <div className={css['pair']}>
        <Section title="Health">
          {health.data !== undefined ? (
            <Health health={health.data} />
          ) : health.error !== null ? (
            <ErrorState
              title="The health cannot be shown"
              text={errorText(health.error)}
              onRetry={() => void health.refetch()}
            />
          ) : (
            <Loading label="Loading the health" rows={8} />
          )}
        </Section>
        <Settings {...{name, endpoint}} />
      </div>
      <FiguresSection {...{name, range: search.range}} onRange={range => setSearch({range})} />
      {health.data !== undefined && <Blind health={health.data} />}
      {health.data !== undefined && <Sensor health={health.data} />}
    </div>
  );
}

function Health({health}: {readonly health: EndpointHealthMessage}): ReactNode {
  const {word, tone} = healthWord(health.status);
  const {packets, alerts, records} = health;
  return (
    <>
      <div className={css['verdict']}>
        <Badge tone={tone}>{word}</Badge>
        {health.reasons.length === 0 ? (
          <span className="muted">{health.status === 'READY' ? 'All is well.' : ''}</span>
        ) : (
          <ul className={css['reasons']}>
            {health.reasons.map(reason => (
              <li key={reason}>{reason}</li>
            ))}
          </ul>
        )}
      </div>
      <dl className={css['figures']}>
        <Figure name="Packets" value={packets === undefined ? '–' : numberText(packets.received)} />
        <Figure
          name="Loss, last minute"
          value={health.packetLossRatio === undefined ? '–' : percentText(health.packetLossRatio)}
          note={packets === undefined ? '' : `${numberText(packets.dropped)} dropped in all`}
          isBad={(health.packetLossRatio ?? 0) > 0}
        />
        <Figure name="Threats kept" value={numberText(records.threats)} note={droppedText(records.threatsDropped)} />
        <Figure name="Flows kept" value={numberText(records.traffic)} note={droppedText(records.trafficDropped)} />
        <Figure
          name="Alerts seen"
          value={alerts === undefined ? '–' : numberText(alerts.seen)}
          note={
            alerts === undefined
              ? ''
              : `${numberText(alerts.filtered)} below severity, ${numberText(alerts.excepted)} excepted`
          }
        />
        <Figure
          name="Alerts lost"
          value={alerts === undefined ? '–' : numberText(alerts.lost)}
          isBad={(alerts?.lost ?? 0) > 0}
        />
      </dl>
    </>
  );
}

const droppedText = (dropped: number): string => (dropped === 0 ? '' : `${numberText(dropped)} older ones removed`);

type FigureProps = {readonly name: string; readonly value: string; readonly note?: string; readonly isBad?: boolean};

const Figure = ({name, value, note = '', isBad = false}: FigureProps): ReactNode => (
  <div>
    <dt>{name}</dt>
    <dd>
      <span className={`num ${css['big']} ${isBad ? css['lost'] : ''}`}>{value}</span>
      <small>{note}</small>
    </dd>
  </div>
);

function Blind({health}: {readonly health: EndpointHealthMessage}): ReactNode {
  const now = useNow();
  const {blind, blindSeconds} = health;
  if (blind === undefined || blindSeconds === undefined) return null;
  const times = blindTimes(blind, now);
  return (
    <Section
      title="Times without inspection"
      actions={<span className="muted">{durationText(blindSeconds)} in total, since creation</span>}
    >
      {times.length === 0 ? (
        <p className="muted">All mirrored traffic was inspected.</p>
      ) : (
        <ul className={css['blind']} tabIndex={0} aria-label="Times without inspection">
          {times.map(({from, until, why, seconds}) => (
            <li key={`${from} ${why}`}>
              <Time at={from} form="absolute" />
              <span className="num">{until === undefined ? 'until now' : durationText(seconds)}</span>
              <span>{why}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Sensor({health}: {readonly health: EndpointHealthMessage}): ReactNode {
  const {confinement, notes = [], exporters, homeNet = []} = health;
  return (
    <Section title="Sensor">
      <KeyValueList
        pairs={[
          ['Engine', health.engineVersion],
          ['Capture', health.driver === undefined ? undefined : `${health.driver}, VNI ${health.vni ?? '–'}`],
          ['Restarts', health.restarts === undefined ? undefined : numberText(health.restarts)],
          ['Rules', rulesText(health)],
          ['Rules changed', <Time key="r" at={health.rulesUpdated} form="both" />],
          ['Home networks', homeNet.length === 0 ? undefined : homeNet.join(', ')],
          ['Confined', confinement === undefined ? undefined : confinementText(confinement)],
          [
            'Exporters',
            exporters === undefined ? undefined : (
              <ul key="e">
                {exporters.map(({name, state, receiver, lastError}) => (
                  <li key={name}>
                    {name} ({receiver}): {state.toLowerCase()}
                    {lastError === '' ? '' : `, ${lastError}`}
                  </li>
                ))}
              </ul>
            ),
          ],
          [
            'Notes',
            notes.length === 0 ? undefined : (
              <ul key="n" className={css['reasons']}>
                {notes.map(note => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </Section>
  );
}

function rulesText({
  ruleSet,
  rulesLoaded,
  rulesSkipped = 0,
  rulesFailed = 0,
}: EndpointHealthMessage): string | undefined {
  if (ruleSet === undefined || rulesLoaded === undefined) return undefined;
  return `${numberText(rulesLoaded)} loaded, ${numberText(rulesSkipped)} skipped, ${numberText(rulesFailed)} refused, of rule set ${ruleSet}`;
}

const MIB = 1_048_576;

function confinementText(confinement: NonNullable<EndpointHealthMessage['confinement']>): string {
  const {uid, landlock, memoryMaxBytes, cpuMaxCores} = confinement;
  return [
    uid === undefined ? 'no user of its own' : `user ${uid}`,
    landlock ? 'its own folder only' : 'no Landlock',
    memoryMaxBytes === undefined
      ? 'memory not limited'
      : `${numberText(Math.round(memoryMaxBytes / MIB))} MiB of memory`,
    cpuMaxCores === undefined ? 'CPU not limited' : `${cpuMaxCores} CPUs`,
  ].join(', ');
}
