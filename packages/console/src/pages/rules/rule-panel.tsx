// SPDX-License-Identifier: Apache-2.0
/** One rule: its state with the reason, its text, the endpoints that have it, its alerts. */
import type {RuleMessage, RuleSetMessage} from '@palisade/ids-wire';
import {type ReactNode, useMemo} from 'react';
import {errorText} from '../../api/index.ts';
import {links} from '../../links.ts';
import {shortEndpoint} from '../../records/row-field.ts';
import {barTimes} from '../../records/time-range.ts';
import {PageLink} from '../../routing/link.tsx';
import {Chart} from '../../ui/chart/chart.tsx';
import {
  Badge,
  Button,
  CodeBlock,
  CopyButton,
  countText,
  ErrorState,
  KeyValueList,
  Loading,
  SeverityBadge,
  SidePanel,
  Time,
} from '../../ui/index.ts';
import {Reason} from './reason.tsx';
import {fileText} from './rule-place.ts';
import css from './rules.module.css';
import {ACTION_WORD, isWebAddress, STATE_TONE, STATE_WORD, type SwitchAction, whyNot} from './rules-search.ts';
import {useRule, useRuleHits} from './use-rules.ts';

export type RulePanelProps = {
  readonly name: string;
  readonly known: RuleMessage | undefined;
  readonly sets: readonly RuleSetMessage[];
  readonly versions: string;
  readonly project: string;
  /** The right that is missing. */
  readonly whyNoSwitch: string | undefined;
  readonly onSwitch: (action: SwitchAction, rule: RuleMessage) => void;
  readonly onClose: () => void;
};

const WIDTH_PX = 430;
const ACTIONS: readonly SwitchAction[] = ['enable', 'disable', 'reset'];

export function RulePanel(props: RulePanelProps): ReactNode {
  const {name, known, sets, versions, project, whyNoSwitch, onSwitch, onClose} = props;
  const query = useRule(name, known, versions);
  const rule = query.data ?? known;
  const panel = {width: WIDTH_PX, closeLabel: 'Close rule', onClose};
  if (rule === undefined)
    return (
      <SidePanel {...panel} label="Rule" title="Rule">
        {query.isError ? (
          <ErrorState
            title="The rule cannot be shown"
            text={errorText(query.error)}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <Loading label="Loading the rule" rows={10} />
        )}
      </SidePanel>
    );
  const set = sets.find(({ruleSetId}) => ruleSetId === rule.ruleSet);
  return (
    <SidePanel
      {...panel}
      label={`Rule ${rule.ruleId}`}
      title={rule.msg === '' ? 'Rule without a message' : rule.msg}
      line={
        <span className={css['panelLine']}>
          <span className="mono">{rule.ruleId === '' ? 'no sid' : rule.ruleId}</span>
          {rule.ruleId !== '' && <CopyButton text={rule.ruleId} label="Copy rule id" />}
          <Badge tone={STATE_TONE[rule.state]}>{STATE_WORD[rule.state]}</Badge>
        </span>
      }
    >
      {rule.reason !== '' && (
        <p className={css['reason']} data-tone={STATE_TONE[rule.state]}>
          <Reason rule={rule} />
        </p>
      )}
      <div className={css['actions']}>
        {ACTIONS.map(action => (
          <Button
            key={action}
            small
            whyDisabled={whyNoSwitch ?? whyNot(action, [rule])}
            onClick={() => onSwitch(action, rule)}
          >
            {ACTION_WORD[action]}
          </Button>
        ))}
      </div>
      <Hits project={project} ruleId={rule.ruleId} />
      <h3>Rule</h3>
      {rule.text === undefined ? (
        query.isError ? (
          <p className={css['failed']}>{errorText(query.error)}</p>
        ) : (
          <Loading label="Loading the text" rows={2} />
        )
      ) : (
        <CodeBlock text={rule.text} label="rule text" wrap />
      )}
      <KeyValueList pairs={pairsOf(rule, set?.sources ?? [])} />
      <h3>Endpoints</h3>
      <Endpoints rule={rule} set={set} />
    </SidePanel>
  );
}

const named = (all: RuleMessage['mitreTactics']): ReactNode =>
  all.length === 0 ? undefined : all.map(({id, name}) => `${id} ${name}`.trim()).join(', ');

const pairsOf = (rule: RuleMessage, sources: readonly string[]): readonly (readonly [string, ReactNode])[] => [
  [
    'Severity',
    <span key="s">
      <SeverityBadge severity={rule.severity} /> <span className="muted">({rule.severityReason})</span>
    </span>,
  ],
  ['Class', rule.classtype === '' ? undefined : rule.classtype],
  ['Type', rule.type === '' ? undefined : rule.type],
  ['Revision', String(rule.rev)],
  ['Rule set', rule.ruleSet],
  ['File', `${fileText(rule.file, sources)}, line ${rule.line}`],
  ['MITRE tactics', named(rule.mitreTactics)],
  ['MITRE techniques', named(rule.mitreTechniques)],
  ['CVEs', rule.cves.length === 0 ? undefined : rule.cves.join(', ')],
  ['References', rule.references.length === 0 ? undefined : <References key="r" all={rule.references} />],
  [
    'Switched',
    rule.switched === undefined ? undefined : (
      <span key="w">
        {rule.switched.state.toLowerCase()} by {rule.switched.user} <Time at={rule.switched.time} />
      </span>
    ),
  ],
];

function References({all}: {readonly all: readonly string[]}): ReactNode {
  return (
    <ul className={css['references']}>
      {all.map(address => (
        <li key={address}>
          {isWebAddress(address) ? (
            <a href={address} rel="noreferrer noopener" target="_blank">
              {address}
            </a>
          ) : (
            address
          )}
        </li>
      ))}
    </ul>
  );
}

const HOUR_MS = 3_600_000;
const HEIGHT_PX = 84;

function Hits({project, ruleId}: {readonly project: string; readonly ruleId: string}): ReactNode {
  const hits = useRuleHits(project, ruleId);
  const drawn = useMemo(() => {
    if (hits.data === undefined) return undefined;
    const {at, sums} = hits.data;
    const bars = new Map((sums.histogram ?? []).map(({startTime, alerts = 0}) => [Date.parse(startTime), alerts]));
    const since = new Date(at - 24 * HOUR_MS).toISOString();
    const times = barTimes({since, until: undefined}, HOUR_MS, undefined, at);
    return {times, series: [{label: 'Alerts', values: times.map(time => bars.get(time) ?? 0)}]};
  }, [hits.data]);
  const alerts = hits.data?.sums.total.alerts ?? 0;
  return (
    <section className={css['hits']} aria-label="Alerts of the last 24 hours">
      <div className={css['hitsLine']}>
        <h3>Alerts, last 24 h</h3>
        {hits.data !== undefined && (
          <PageLink to={links.threats({q: `threat_id=${ruleId}`})}>{countText(alerts, 'alert')}</PageLink>
        )}
      </div>
      {hits.isError && <p className={css['failed']}>{errorText(hits.error)}</p>}
      <div className={css['hitsChart']}>
        {drawn !== undefined && <Chart label="Alerts by the hour" kind="bars" isWhole height={HEIGHT_PX} {...drawn} />}
      </div>
    </section>
  );
}

function Endpoints({rule, set}: {readonly rule: RuleMessage; readonly set: RuleSetMessage | undefined}): ReactNode {
  if (set === undefined || set.endpoints.length === 0)
    return <p className="muted">No sensor uses the rule set {rule.ruleSet} now.</p>;
  return (
    <ul className={css['endpoints']}>
      {set.endpoints.map(({endpoint, status, ruleSetVersion}) => {
        const isCurrent = ruleSetVersion === set.version;
        return (
          <li key={endpoint} className={css['endpoint']}>
            <PageLink to={links.idsEndpointOf(endpoint)} title={endpoint}>
              {shortEndpoint(endpoint)}
            </PageLink>
            {rule.state !== 'ACTIVE' ? (
              <span className="muted">does not have it</span>
            ) : isCurrent ? (
              <Badge tone="ok">has it</Badge>
            ) : (
              <Badge tone="warn">has an older version of the rule set</Badge>
            )}
            {status !== 'READY' && <Badge tone="warn">{status.toLowerCase()}</Badge>}
          </li>
        );
      })}
    </ul>
  );
}
