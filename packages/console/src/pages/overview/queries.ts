// SPDX-License-Identifier: Apache-2.0
/** What the overview asks of intrusion detection, and how often. */
import type {EndpointHealthMessage, RuleSetMessage} from '@palisade/ids-wire';
import {useQueries, useQuery} from '@tanstack/react-query';
import {useCallback} from 'react';
import {type Api, allPages, limiter, useApi} from '../../api/index.ts';
import {firstHour, HOURS} from './model/alerts.ts';

const PAGE = 1_000;
const OFTEN_MS = 10_000;
const SELDOM_MS = 30_000;
/** Of each endpoint in a round: many endpoints are asked less often. */
const EACH_MS = 200;
/** Browsers allow 6 connections, of which streams have 2. */
const AT_ONCE = 2;

const healthTurn = limiter(AT_ONCE);

/** Names of all IDS endpoints. */
export const useEndpointNames = (parent: string) => {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['overview-endpoints', parent],
    refetchInterval: OFTEN_MS,
    queryFn: async ({signal}): Promise<readonly string[]> => {
      const names = await allPages(
        pageToken => ids.listEndpoints(parent, {pageSize: PAGE, pageToken, signal}),
        ({endpoints = []}) => endpoints.flatMap(({name}) => name ?? []),
      );
      return names.toSorted();
    },
  });
};

const healthQuery = ({ids}: Api, name: string, every: number) => ({
  queryKey: ['overview-health', name],
  refetchInterval: every,
  queryFn: ({signal}: {signal: AbortSignal}) =>
    healthTurn(() => ids.getHealth(name, {signal}) as Promise<unknown> as Promise<EndpointHealthMessage>),
});

type HealthAnswer = {readonly data: EndpointHealthMessage | undefined; readonly error: Error | null};
export type Healths = {
  /** Of those that have answered, in the order of the names. */
  readonly known: readonly EndpointHealthMessage[];
  readonly error: Error | undefined;
};

export function useHealths(names: readonly string[]): Healths {
  const api = useApi();
  const combine = useCallback(
    (answers: readonly HealthAnswer[]): Healths => ({
      known: answers.flatMap(({data}) => data ?? []),
      error: answers.find(({error}) => error !== null)?.error ?? undefined,
    }),
    [],
  );
  const every = Math.max(OFTEN_MS, names.length * EACH_MS);
  return useQueries({queries: names.map(name => healthQuery(api, name, every)), combine});
}

/** Alerts by hour and severity, from `firstHour`. */
export const useAlerts = (parent: string) => {
  const {ids, surroundings} = useApi();
  return useQuery({
    queryKey: ['overview-alerts', parent],
    refetchInterval: OFTEN_MS,
    queryFn: async ({signal}) => {
      const since = firstHour(surroundings.clock.now());
      const sums = await ids.aggregateRecords(`${parent}/endpoints/-`, 'threats', {
        since: new Date(since).toISOString(),
        histogram: '1h',
        signal,
      });
      return {since, sums};
    },
  });
};

/** Threats of the last 24 hours that are critical and not acknowledged. */
export const useOpenCritical = (parent: string) => {
  const {ids, surroundings} = useApi();
  return useQuery({
    queryKey: ['overview-critical', parent],
    refetchInterval: OFTEN_MS,
    queryFn: async ({signal}) => {
      const since = new Date(surroundings.clock.now() - HOURS * 3_600_000).toISOString();
      const filter = 'alert_severity=CRITICAL AND acknowledged=false';
      return (await ids.aggregateRecords(`${parent}/endpoints/-`, 'threats', {since, filter, signal})).total.records;
    },
  });
};

export const useRuleSets = (parent: string) => {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['overview-rule-sets', parent],
    refetchInterval: SELDOM_MS,
    queryFn: async ({signal}): Promise<readonly RuleSetMessage[]> =>
      (await ids.listRuleSets(parent, {pageSize: PAGE, signal})).ruleSets ?? [],
  });
};
