// SPDX-License-Identifier: Apache-2.0
/** The rules of the endpoint's rule set, with those that are not loaded and why. */
import type {EndpointHealthMessage, RuleMessage} from '@palisade/ids-wire';
import {keepPreviousData, useInfiniteQuery} from '@tanstack/react-query';
import {type ReactNode, useCallback, useMemo} from 'react';
import {errorText, useApi} from '../../../api/index.ts';
import {links} from '../../../links.ts';
import {PageLink, useGo} from '../../../routing/link.tsx';
import type {SetSearch} from '../../../routing/use-search-state.ts';
import {
  Badge,
  type Column,
  EmptyState,
  ErrorState,
  FilterBar,
  Loading,
  numberText,
  Select,
  SeverityBadge,
  useIsNarrow,
  VirtualTable,
} from '../../../ui/index.ts';
import {Reason} from '../../rules/reason.tsx';
import {reasonText} from '../../rules/reason-text.ts';
import {fileName} from '../../rules/rule-place.ts';
import {STATE_TONE, STATE_WORD} from '../../rules/rules-search.ts';
import css from '../ids-endpoints.module.css';
import {type OneSearch, RULE_STATES} from '../model/one-search.ts';
import {ruleFilter, ruleSetOf} from '../model/rules.ts';
import {useHealth} from '../queries.ts';

const PAGE = 200;
const STATE_WORDS: Readonly<Record<(typeof RULE_STATES)[number], string>> = {
  '': 'Any state',
  ...STATE_WORD,
};

const columnsOf = (isNarrow: boolean): readonly Column<RuleMessage>[] => [
  {
    id: 'id',
    title: 'Rule',
    width: 104,
    wideOnly: true,
    cell: rule =>
      rule.ruleId === '' ? (
        <span className="muted">–</span>
      ) : (
        <PageLink className="num" to={links.rules({q: rule.ruleId})}>
          {rule.ruleId}
        </PageLink>
      ),
  },
  {
    id: 'msg',
    title: 'Message',
    width: 120,
    grow: 5,
    cell: rule =>
      isNarrow && rule.ruleId !== '' ? (
        <PageLink to={links.rules({q: rule.ruleId})} title={rule.msg}>
          {rule.msg}
        </PageLink>
      ) : (
        <span title={rule.msg}>{rule.msg}</span>
      ),
  },
  {
    id: 'severity',
    title: isNarrow ? 'Sev' : 'Severity',
    width: isNarrow ? 48 : 104,
    cell: rule => <SeverityBadge severity={rule.severity} short={isNarrow} />,
  },
  {
    id: 'state',
    title: 'State',
    width: isNarrow ? 58 : 116,
    cell: rule => (
      <Badge tone={STATE_TONE[rule.state]} title={reasonText(rule)} short={isNarrow}>
        {STATE_WORD[rule.state]}
      </Badge>
    ),
  },
  {
    id: 'reason',
    title: 'Reason',
    width: 180,
    grow: 3,
    wideOnly: true,
    cell: rule => <span title={reasonText(rule)}>{rule.reason === '' ? '–' : <Reason rule={rule} />}</span>,
  },
  {
    id: 'file',
    title: 'File and line',
    width: 150,
    wideOnly: true,
    cell: rule => (
      <span className="num" title={`${fileName(rule.file)}:${rule.line}`}>
        {fileName(rule.file)}:{rule.line}
      </span>
    ),
  },
];

type RulesTabProps = {
  readonly name: string;
  readonly search: OneSearch;
  readonly setSearch: SetSearch<OneSearch>;
};

export function RulesTab({name, search, setSearch}: RulesTabProps): ReactNode {
  const health = useHealth(name);
  if (health.data === undefined)
    return health.error === null ? (
      <Loading label="Loading the rules" rows={10} />
    ) : (
      <ErrorState
        title="The rules cannot be shown"
        text={errorText(health.error)}
        onRetry={() => void health.refetch()}
      />
    );
  if (health.data.ruleSet === undefined)
    return (
      <EmptyState title="No rules are loaded yet" text={health.data.reasons[0] ?? 'The endpoint has no sensor yet.'} />
    );
  return <Rules {...{name, health: health.data, search, setSearch}} />;
}

function useRules(name: string, ruleSet: string, version: string, search: OneSearch) {
  const {ids} = useApi();
  const filter = ruleFilter(search.q, search.rules);
  return useInfiniteQuery({
    queryKey: ['ids-endpoint-rules', name, ruleSet, version, filter],
    initialPageParam: '',
    queryFn: ({pageParam, signal}) =>
      ids.listRules(ruleSetOf(name, ruleSet), {filter, pageSize: PAGE, pageToken: pageParam, signal}),
    getNextPageParam: ({nextPageToken = ''}) => (nextPageToken === '' ? undefined : nextPageToken),
    placeholderData: keepPreviousData,
  });
}

function Rules({name, health, search, setSearch}: RulesTabProps & {readonly health: EndpointHealthMessage}): ReactNode {
  const go = useGo();
  const isNarrow = useIsNarrow();
  const columns = useMemo(() => columnsOf(isNarrow), [isNarrow]);
  const {ruleSet = '', ruleSetVersion = ''} = health;
  const rules = useRules(name, ruleSet, ruleSetVersion, search);
  const rows = useMemo(() => rules.data?.pages.flatMap(page => page.rules ?? []) ?? [], [rules.data]);
  const {fetchNextPage, hasNextPage, isFetchingNextPage} = rules;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <div className={css['rules']}>
      <p className="muted num">
        Rule set {ruleSet}: {numberText(health.rulesLoaded ?? 0)} loaded, {health.rulesSkipped} skipped,{' '}
        {health.rulesFailed} refused
      </p>
      <FilterBar
        label="Search the rules"
        placeholder="Message, ID, file, CVE, reference or MITRE technique"
        value={search.q}
        onChange={q => setSearch({q})}
      >
        <Select
          label="State of the rule"
          hideLabel
          value={search.rules}
          onChange={event => setSearch({rules: event.target.value as OneSearch['rules']})}
          options={RULE_STATES.map(value => ({value, label: STATE_WORDS[value]}))}
        />
      </FilterBar>
      {rules.error !== null && rows.length === 0 ? (
        <ErrorState
          title="The rules cannot be listed"
          text={errorText(rules.error)}
          onRetry={() => void rules.refetch()}
        />
      ) : (
        <VirtualTable
          label="Rules"
          columns={columns}
          rows={rows}
          rowKey={keyOf}
          onEnd={onEnd}
          onOpen={rule => go(links.rules({q: rule.ruleId}))}
          empty={
            rules.isPending ? (
              <Loading label="Loading the rules" rows={10} />
            ) : (
              <EmptyState title="No rules match" text="Change the words or the state." />
            )
          }
        />
      )}
    </div>
  );
}

const keyOf = ({name, file, line}: RuleMessage): string => `${name} ${file}:${line}`;
