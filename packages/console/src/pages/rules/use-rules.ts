// SPDX-License-Identifier: Apache-2.0
/** Rule sets, rules by pages, one rule with its text, and its alerts of the last 24 hours. */
import {formatTimestamp, type RuleMessage, type RuleSetMessage} from '@palisade/ids-wire';
import {keepPreviousData, useInfiniteQuery, useQuery} from '@tanstack/react-query';
import {useMemo} from 'react';
import {useApi} from '../../api/index.ts';
import {wallClock} from '../../clock.ts';
import {endpointsOf, parentOf} from '../../scope/scope.ts';
import {filterOf, orderOf, type RulesSearch, splitRuleName} from './rules-search.ts';

const POLL_MS = 5_000;
const HITS_POLL_MS = 30_000;
const PAGE_SIZE = 500;
const SETS_MAX = 1_000;
const HITS_MAX = 1_000;
const DAY_MS = 86_400_000;

/** Polled: a new version of a set makes the page read the rules again. */
export function useRuleSets(project: string) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['rule-sets', project],
    queryFn: async ({signal}): Promise<readonly RuleSetMessage[]> =>
      (await ids.listRuleSets(parentOf(project), {pageSize: SETS_MAX, signal})).ruleSets ?? [],
    refetchInterval: POLL_MS,
  });
}

const versionOf = ({ruleSetId, version, rulesActive, rulesDisabled}: RuleSetMessage): string =>
  `${ruleSetId} ${version} ${rulesActive} ${rulesDisabled}`;
/** Changes with each change of the rules. */
export const versionsOf = (sets: readonly RuleSetMessage[] | undefined): string => (sets ?? []).map(versionOf).join();

type Asked = Pick<RulesSearch, 'q' | 'set' | 'state' | 'severity' | 'sort' | 'project'>;

/** `asked.q`: a valid filter. `versions`: of `versionsOf`. */
export function useRules(asked: Asked, versions: string) {
  const {ids} = useApi();
  const {set, sort, project} = asked;
  const filter = filterOf(asked);
  const name = `${parentOf(project)}/ruleSets/${set === '' ? '-' : set}`;
  const query = useInfiniteQuery({
    queryKey: ['rules', name, filter, sort, versions],
    initialPageParam: '',
    queryFn: ({pageParam, signal}) =>
      ids.listRules(name, {filter, orderBy: orderOf(sort), pageSize: PAGE_SIZE, pageToken: pageParam, signal}),
    getNextPageParam: ({nextPageToken}) => (nextPageToken === '' ? undefined : nextPageToken),
    placeholderData: keepPreviousData,
  });
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap(({rules = []}) => rules), [query.data]);
  return {...query, rows};
}

/** `known`: its row in the list, which a rule without an id has only. */
export function useRule(name: string, known: RuleMessage | undefined, versions: string) {
  const {ids} = useApi();
  const parts = splitRuleName(name);
  return useQuery({
    queryKey: ['rule', name, known?.file, known?.line, versions],
    queryFn: async ({signal}): Promise<RuleMessage> => {
      if (known !== undefined) {
        const set = name.slice(0, name.indexOf('/rules/'));
        const filter = `file=${JSON.stringify(known.file)} AND line=${known.line}`;
        const {rules = []} = await ids.listRules(set, {filter, pageSize: 10, full: true, signal});
        const same = rules.find(rule => rule.ruleId === known.ruleId);
        if (same !== undefined) return same;
      }
      if (parts === undefined) throw new Error(`"${name}" is not the name of a rule`);
      return ids.getRule(parts.set, parts.id, {signal});
    },
    placeholderData: (before, query) => (query?.queryKey[1] === name ? before : undefined),
  });
}

/** Alerts of the last 24 hours by threat id, of all endpoints that the user may see. */
export function useHits(project: string) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['rule-hits', project],
    queryFn: async ({signal}): Promise<ReadonlyMap<string, number>> => {
      const since = formatTimestamp(wallClock() - DAY_MS);
      const query = {since, groupBy: 'threat', groupsMax: HITS_MAX, signal};
      const {groups = []} = await ids.aggregateRecords(endpointsOf(project), 'threats', query);
      return new Map(groups.map(({key, alerts = 0}) => [key, alerts]));
    },
    refetchInterval: HITS_POLL_MS,
  });
}

/** Alerts of one rule by the hour; exact for any rule. */
export function useRuleHits(project: string, ruleId: string) {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['rule-hits', project, ruleId],
    enabled: ruleId !== '',
    queryFn: async ({signal}) => {
      const at = wallClock();
      const query = {filter: `threat_id="${ruleId}"`, since: formatTimestamp(at - DAY_MS), histogram: '1h', signal};
      return {at, sums: await ids.aggregateRecords(endpointsOf(project), 'threats', query)};
    },
    refetchInterval: HITS_POLL_MS,
  });
}
