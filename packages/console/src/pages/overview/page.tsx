// SPDX-License-Identifier: Apache-2.0
/** What runs, what does not, and where to go. */
import {type ReactNode, useMemo} from 'react';
import {errorText, type LiveState, useApi, useKubeList} from '../../api/index.ts';
import {flag, type SearchShape, text} from '../../routing/search.ts';
import {type SetSearch, useSearchState} from '../../routing/use-search-state.ts';
import {NamespaceField} from '../../scope/namespace-field.tsx';
import {ProjectField} from '../../scope/project-field.tsx';
import {parentOf, type Scope} from '../../scope/scope.ts';
import {shownPart, useChooseScope, useScoped} from '../../scope/use-scope.ts';
import {countText, PageHeader, useNow} from '../../ui/index.ts';
import {toGroupRow} from '../groups/model/group-row.ts';
import {type EndpointGroup, GROUPS} from '../groups/model/kinds.ts';
import {AttentionPanel, type LookedPart} from './attention-panel.tsx';
import {alertBars} from './model/alerts.ts';
import {needsAttention} from './model/attention.ts';
import {toSetRow} from './model/set-row.ts';
import css from './overview.module.css';
import {AlertsPanel, SensorsPanel, SetsPanel} from './panels.tsx';
import {useAlerts, useEndpointNames, useHealths, useOpenCritical, useRuleSets} from './queries.ts';

/** How often what only time changes is judged again. */
const JUDGE_MS = 10_000;
const NO_NAMES: readonly string[] = [];
/** `all`: everything that needs attention is listed. */
type Search = Scope & {readonly all: boolean};
const SEARCH: SearchShape<Search> = {namespace: text(), project: text(), all: flag()};

export function Page(): ReactNode {
  const [search, setSearch] = useSearchState(SEARCH);
  const scope = useScoped(search, setSearch);
  const parent = parentOf(scope.project);
  const {sets, names, healths, alerts, looked, parts} = useLooked(shownPart(scope.namespace), parent);
  const items = useMemo(() => needsAttention(looked), [looked]);
  const bars = useMemo(
    () => (alerts.data === undefined ? undefined : alertBars(alerts.data.sums, alerts.data.since)),
    [alerts.data],
  );
  return (
    <>
      <PageHeader title="Overview" actions={<ScopeFields scope={scope} setSearch={setSearch} />} />
      <div className={css['grid']}>
        <div className={css['wide']}>
          <AttentionPanel {...{items, parts}} isWhole={search.all} onWhole={all => setSearch({all})} />
        </div>
        <div className={css['wide']}>
          <AlertsPanel bars={bars} error={bars === undefined ? alerts.error : null} parent={parent} />
        </div>
        <SetsPanel list={sets} />
        <SensorsPanel names={names.data} healths={healths.known} error={names.error ?? healths.error} />
      </div>
    </>
  );
}

type ScopeFieldsProps = {readonly scope: Scope; readonly setSearch: SetSearch<Search>};

function ScopeFields({scope, setSearch}: ScopeFieldsProps): ReactNode {
  const choose = useChooseScope(setSearch);
  return (
    <>
      <NamespaceField value={shownPart(scope.namespace)} onChange={value => choose({namespace: value})} />
      <ProjectField value={scope.project} onChange={project => choose({project})} />
    </>
  );
}

/** Everything that is read, and how far each part has come. */
function useLooked(namespace: string, parent: string) {
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
      text: countText(healths.known.length, 'sensor'),
      isLoading: names.isPending || healths.known.length < (names.data?.length ?? 0),
      error: wordsOf(names.error ?? healths.error),
    },
    {
      what: 'Rule sets',
      text: countText(ruleSets.data?.length ?? 0, 'rule set'),
      isLoading: ruleSets.isPending,
      error: wordsOf(ruleSets.error),
    },
    {
      what: 'Open threats',
      text: 'the open critical threats of the last 24 hours',
      isLoading: critical.isPending,
      error: wordsOf(critical.error),
    },
  ];
  return {sets, names, healths, alerts, looked, parts};
}

const wordsOf = (error: Error | null | undefined): string | undefined => (error ? errorText(error) : undefined);

const ofList = (what: string, {rows, phase, error}: LiveState<unknown>, one: string, many: string): LookedPart => ({
  what,
  text: countText(rows.length, one, many),
  isLoading: phase === 'loading',
  error: phase === 'refused' || phase === 'lost' ? (error ?? 'no answer') : undefined,
});
