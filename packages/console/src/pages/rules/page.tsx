// SPDX-License-Identifier: Apache-2.0
/** All rules of all rule sets: searched, switched, with the reasons of those that are not loaded. */
import {RULE_LIST, type RuleMessage, type RuleSetMessage} from '@palisade/ids-wire';
import {type ReactNode, useCallback, useMemo, useState} from 'react';
import {errorText, isForbidden, usePermission} from '../../api/index.ts';
import {useGoodFilter} from '../../records/use-good-filter.ts';
import {useMarks} from '../../records/use-marks.ts';
import {useSearchState} from '../../routing/use-search-state.ts';
import {ProjectField} from '../../scope/project-field.tsx';
import {useChooseScope, useScoped} from '../../scope/use-scope.ts';
import {
  Badge,
  Button,
  EmptyState,
  ErrorState,
  FilterBar,
  Loading,
  numberText,
  PageHeader,
  SEVERITIES,
  Select,
  severityWord,
  WithSidePanel,
} from '../../ui/index.ts';
import {RulePanel} from './rule-panel.tsx';
import {rowKey} from './rule-place.ts';
import {type RuleRow, RuleTable} from './rule-table.tsx';
import css from './rules.module.css';
import {
  ACTION_WORD,
  foundText,
  RULES_SEARCH,
  STATE_TONE,
  STATE_WORD,
  type SwitchAction,
  whyNot,
} from './rules-search.ts';
import {SwitchDialog} from './switch-dialog.tsx';
import {useHits, useRuleSets, useRules, versionsOf} from './use-rules.ts';

const ACTIONS: readonly SwitchAction[] = ['enable', 'disable', 'reset'];

type Switching = {readonly action: SwitchAction; readonly rules: readonly RuleMessage[]};

/** All that the parts of the page share. */
function useRulesPage() {
  const [own, setSearch] = useSearchState(RULES_SEARCH);
  const search = useScoped(own, setSearch);
  const choose = useChooseScope(setSearch);
  const {filter, fault} = useGoodFilter(search.q, RULE_LIST);
  const sets = useRuleSets(search.project);
  const versions = versionsOf(sets.data);
  const rules = useRules({...search, q: filter}, versions);
  const hits = useHits(search.project);
  const rows = useMemo(() => rules.rows.map((rule): RuleRow => ({name: rowKey(rule), rule})), [rules.rows]);
  const writeMarks = useCallback((mark: readonly string[]) => setSearch({mark}), [setSearch]);
  const marks = useMarks(rows, search.mark, writeMarks);
  const [switching, setSwitching] = useState<Switching | undefined>();
  const update = usePermission('projects/-/locations/-', 'ids.rules.update');
  const marked = useMemo(() => rows.filter(marks.has).map(({rule}) => rule), [rows, marks]);
  return {
    ...{search, setSearch, choose, fault, sets, versions, rules, hits, rows, marks, marked},
    ...{switching, setSwitching, update},
  };
}
type State = ReturnType<typeof useRulesPage>;

export function Page(): ReactNode {
  const page = useRulesPage();
  const {search, setSearch, sets, rows, versions, switching, setSwitching, update} = page;
  const isOpen = search.rule !== '';
  const given = sets.data?.reduce((sum, set) => COUNTS.reduce((all, [, field]) => all + set[field], sum), 0);
  return (
    <>
      <PageHeader title="Rules" aside={given !== undefined && <Badge plain>{foundText(given, foundOf(page))}</Badge>} />
      <Filters page={page} />
      <WithSidePanel
        panel={
          isOpen ? (
            <RulePanel
              key={search.rule}
              name={search.rule.split('@')[0] ?? ''}
              known={rows.find(({name}) => name === search.rule)?.rule}
              sets={sets.data ?? []}
              versions={versions}
              project={search.project}
              whyNoSwitch={update.why}
              onSwitch={(action, rule) => setSwitching({action, rules: [rule]})}
              onClose={() => setSearch({rule: ''})}
            />
          ) : undefined
        }
      >
        <Toolbar page={page} />
        <List page={page} />
      </WithSidePanel>
      {switching !== undefined && (
        <SwitchDialog
          {...switching}
          onClose={changed => {
            setSwitching(undefined);
            if (changed) page.marks.set([]);
          }}
        />
      )}
    </>
  );
}

const isFiltered = ({q, state, severity, set}: State['search']): boolean =>
  q !== '' || state !== '' || severity !== '' || set !== '';

/** What the search has found; undefined without one, and until it is known. */
const foundOf = ({search, rules, rows}: State) =>
  isFiltered(search) && rules.data !== undefined && !rules.isPlaceholderData && !rules.isError
    ? {rules: rows.length, hasMore: rules.hasNextPage}
    : undefined;

const COUNTS = [
  ['ACTIVE', 'rulesActive'],
  ['DISABLED', 'rulesDisabled'],
  ['REFUSED', 'rulesRefused'],
  ['SKIPPED', 'rulesSkipped'],
] as const;

function Filters({page}: {readonly page: State}): ReactNode {
  const {search, setSearch, choose, fault, sets} = page;
  const all = sets.data ?? [];
  const shown = all.filter(({ruleSetId}) => search.set === '' || ruleSetId === search.set);
  const sum = (field: (typeof COUNTS)[number][1]): number => shown.reduce((total, set) => total + set[field], 0);
  return (
    <>
      <FilterBar
        label="Search rules"
        placeholder="Message, ID, CVE, class, reference, text; or severity>=HIGH"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <ProjectField value={search.project} onChange={project => choose({project})} />
        <Select
          label="Rule set"
          hideLabel
          value={search.set}
          options={[
            {value: '', label: 'All rule sets'},
            ...all.map(({ruleSetId}) => ({value: ruleSetId, label: ruleSetId})),
          ]}
          onChange={event => setSearch({set: event.target.value}, {push: true})}
        />
        <Select
          label="Severity"
          hideLabel
          value={search.severity}
          options={[
            {value: '', label: 'Any severity'},
            ...SEVERITIES.map(value => ({
              value,
              label: value === 'CRITICAL' ? 'Critical' : `${severityWord(value)} and above`,
            })),
          ]}
          onChange={event =>
            setSearch({severity: SEVERITIES.find(one => one === event.target.value) ?? ''}, {push: true})
          }
        />
      </FilterBar>
      <p role="alert" className={css['error']}>
        {fault === undefined ? '' : `The filter is not used yet: ${fault}`}
      </p>
      <div className={css['counts']} role="group" aria-label="State">
        {COUNTS.map(([state, field]) => (
          <button
            key={state}
            type="button"
            className={css['count']}
            aria-pressed={search.state === state}
            onClick={() => setSearch({state: search.state === state ? '' : state}, {push: true})}
          >
            <Badge tone={STATE_TONE[state]}>{STATE_WORD[state]}</Badge>
            <span className="num">{sets.data === undefined ? '–' : numberText(sum(field))}</span>
          </button>
        ))}
      </div>
      {shown
        .filter(({refused}) => refused !== '')
        .map(set => (
          <RefusedSet key={set.name} set={set} />
        ))}
    </>
  );
}

/** A newer version than the active one was refused. */
function RefusedSet({set}: {readonly set: RuleSetMessage}): ReactNode {
  return (
    <p role="alert" className={css['reason']} data-tone="bad">
      {`The newest version of ${set.ruleSetId} was refused${set.version === '' ? '' : '; the previous one stays active'}: ${set.refused}`}
    </p>
  );
}

function Toolbar({page}: {readonly page: State}): ReactNode {
  const {marks, marked, update, setSwitching} = page;
  const count = marked.length; // not those that the search or a switch has left out: the buttons act on these alone
  return (
    <div className={css['toolbar']} role="toolbar" aria-label="Selected rules">
      <span role="status">
        {count === 0 ? <span className="muted">None selected</span> : <b>{numberText(count)} selected</b>}
      </span>
      {ACTIONS.map(action => (
        <Button
          key={action}
          small
          whyDisabled={update.why ?? whyNot(action, marked)}
          onClick={() => setSwitching({action, rules: marked})}
        >
          {ACTION_WORD[action]}
        </Button>
      ))}
      {count > 0 && (
        <Button small kind="quiet" onClick={() => marks.set([])}>
          Clear
        </Button>
      )}
    </div>
  );
}

function List({page}: {readonly page: State}): ReactNode {
  const {search, setSearch, rules, rows, marks, hits} = page;
  const open = useCallback((row: RuleRow) => setSearch({rule: row.name}, {push: true}), [setSearch]);
  const more = useCallback(() => void rules.fetchNextPage(), [rules.fetchNextPage]);
  if (rules.isError && rows.length === 0)
    return (
      <ErrorState
        title="Rules cannot be listed"
        text={`${errorText(rules.error)}${isForbidden(rules.error) ? '\nEnter a project above to see its rules only.' : ''}`}
        onRetry={() => void rules.refetch()}
      />
    );
  return (
    <RuleTable
      rows={rows}
      marks={marks}
      hits={hits.data}
      isPanelOpen={search.rule !== ''}
      sort={search.sort}
      onSort={sort => setSearch({sort})}
      onOpen={open}
      onEnd={rules.hasNextPage && !rules.isFetchingNextPage ? more : undefined}
      empty={<Nothing page={page} />}
    />
  );
}

function Nothing({page: {search, setSearch, rules}}: {readonly page: State}): ReactNode {
  if (rules.isPending) return <Loading label="Loading rules" rows={12} />;
  if (isFiltered(search))
    return (
      <EmptyState
        title="No rules match"
        text="Change the search, the state or the severity."
        action={<Button onClick={() => setSearch({q: '', state: '', severity: '', set: ''})}>Show all rules</Button>}
      />
    );
  return (
    <EmptyState
      title="No rules"
      text="The server has no rule set. Start it with sensors, and with --rules or the bundled rules."
    />
  );
}
