// SPDX-License-Identifier: Apache-2.0
/** What runs, what does not, and where to go. */
import {type ReactNode, useMemo} from 'react';
import {errorText, type LiveState, useApi, useKubeList} from '../../api/index.ts';
import {PageHeader, ScopeField, toast, useNow} from '../../ui/index.ts';
import {toGroupRow} from '../groups/model/group-row.ts';
import {type EndpointGroup, GROUPS} from '../groups/model/kinds.ts';
import {AttentionPanel, type LookedPart} from './attention-panel.tsx';
import {alertBars} from './model/alerts.ts';
import {needsAttention} from './model/attention.ts';
import {whyNotProject} from './model/scope.ts';
import {toSetRow} from './model/set-row.ts';
import css from './overview.module.css';
import {AlertsPanel, SensorsPanel, SetsPanel} from './panels.tsx';
import {useAlerts, useEndpointNames, useHealths, useOpenCritical, useRuleSets} from './queries.ts';
import {type Scope, useScope} from './use-scope.ts';

/** How often what only time changes is judged again. */
const JUDGE_MS = 10_000;
const NO_NAMES: readonly string[] = [];

export function Page(): ReactNode {
  const scope = useScope();
  const {sets, names, healths, alerts, looked, parts} = useLooked(scope);
  const items = useMemo(() => needsAttention(looked), [looked]);
  const bars = useMemo(
    () => (alerts.data === undefined ? undefined : alertBars(alerts.data.sums, alerts.data.since)),
    [alerts.data],
  );
  return (
    <>
      <PageHeader title="Overview" actions={<ScopeFields {...scope} />} />
      <div className={css['grid']}>
        <div className={css['wide']}>
          <AttentionPanel items={items} parts={parts} />
        </div>
        <div className={css['wide']}>
          <AlertsPanel bars={bars} error={bars === undefined ? alerts.error : null} parent={scope.parent} />
        </div>
        <SetsPanel list={sets} />
        <SensorsPanel names={names.data} healths={healths.known} error={names.error ?? healths.error} />
      </div>
    </>
  );
}

function ScopeFields({namespace, project, choose}: Scope): ReactNode {
  const chooseProject = (typed: string): void => {
    const why = whyNotProject(typed);
    if (why === undefined) choose({project: typed});
    else toast('bad', why);
  };
  return (
    <>
      <ScopeField
        label="Namespace"
        placeholder="All namespaces"
        value={namespace}
        onChange={value => choose({namespace: value})}
      />
      <ScopeField label="Project" placeholder="All projects" value={project} onChange={chooseProject} />
    </>
  );
}

/** Everything that is read, and how far each part has come. */
function useLooked({namespace, parent}: Scope) {
  const {kube} = useApi();
  const groupClient = useMemo(() => kube.resource<EndpointGroup>(GROUPS), [kube]);
  const sets = useKubeList({id: 'overview-sets', client: kube.endpoints, namespace, toRow: toSetRow});
  const groups = useKubeList({id: 'overview-groups', client: groupClient, namespace, toRow: toGroupRow});
  const names = useEndpointNames(parent);
  const healths = useHealths(names.data ?? NO_NAMES);
  const alerts = useAlerts(parent);
  const critical = useOpenCritical(parent);
  const ruleSets = useRuleSets(parent);
  const now = Math.floor(useNow() / JUDGE_MS) * JUDGE_MS;
  const looked = useMemo(
    () => ({
      sets: sets.rows,
      groups: groups.rows,
      healths: healths.known,
      ruleSets: ruleSets.data ?? [],
      openCritical: critical.data ?? 0,
      parent,
      now,
    }),
    [sets.rows, groups.rows, healths.known, ruleSets.data, critical.data, parent, now],
  );
  const parts: readonly LookedPart[] = [
    ofList('Endpoints', sets, 'set of endpoints', 'sets of endpoints'),
    ofList('Groups', groups, 'group', 'groups'),
    {
      what: 'Sensors',
      text: counted(healths.known.length, 'sensor', 'sensors'),
      isLoading: names.isPending || healths.known.length < (names.data?.length ?? 0),
      error: wordsOf(names.error ?? healths.error),
    },
    {
      what: 'Rule sets',
      text: counted(ruleSets.data?.length ?? 0, 'rule set', 'rule sets'),
      isLoading: ruleSets.isPending,
      error: wordsOf(ruleSets.error),
    },
    {
      what: 'Open threats',
      text: 'open critical threats of the last 24 hours',
      isLoading: critical.isPending,
      error: wordsOf(critical.error),
    },
  ];
  return {sets, names, healths, alerts, looked, parts};
}

const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
const wordsOf = (error: Error | null | undefined): string | undefined => (error ? errorText(error) : undefined);

const ofList = (what: string, {rows, phase, error}: LiveState<unknown>, one: string, many: string): LookedPart => ({
  what,
  text: counted(rows.length, one, many),
  isLoading: phase === 'loading',
  error: phase === 'refused' || phase === 'lost' ? (error ?? 'no answer') : undefined,
});
