// SPDX-License-Identifier: Apache-2.0
/** What the pages of IDS endpoints ask, and how often. */
import type {IdsEndpoint, Operation} from '@palisade/client/browser';
import type {EndpointHealthMessage} from '@palisade/ids-wire';
import {type QueryClient, useQueries, useQuery, useQueryClient} from '@tanstack/react-query';
import {useCallback, useMemo} from 'react';
import {type Api, allPages, limiter, useApi} from '../../api/index.ts';
import {wallClock} from '../../clock.ts';
import {endpointsOf, locationOf, parentOf} from '../../scope/scope.ts';

const PAGE = 1_000;
const LIST_MS = 5_000;
const HEALTH_MS = 10_000;
const THREATS_MS = 30_000;
const RUNNING_MS = 1_000;
const RESTING_MS = 10_000;
const DAY_MS = 86_400_000;
/** Browsers allow 6 connections. */
const HEALTH_AT_ONCE = 3;

const oneOfFew = limiter(HEALTH_AT_ONCE);

/** `project`: '' for all. */
export const useEndpoints = (project: string) => {
  const {ids} = useApi();
  const parent = parentOf(project);
  return useQuery<readonly IdsEndpoint[]>({
    queryKey: ['ids-endpoints', parent],
    queryFn: ({signal}) =>
      allPages(
        pageToken => ids.listEndpoints(parent, {pageSize: PAGE, pageToken, signal}),
        page => page.endpoints,
      ),
    refetchInterval: LIST_MS,
  });
};

/** Those that run in these locations. Empty where they may not be listed. */
export const useRunning = (parents: readonly string[]): readonly Operation[] => {
  const {ids} = useApi();
  return useQueries({
    queries: parents.map(parent => ({
      queryKey: ['ids-running', parent],
      queryFn: async ({signal}: {signal: AbortSignal}) =>
        (await ids.listOperations(parent, {filter: 'done=false', pageSize: PAGE, signal})).operations ?? [],
      refetchInterval: LIST_MS,
    })),
    combine: flatData,
  });
};
const flatData = (all: readonly {readonly data: readonly Operation[] | undefined}[]): readonly Operation[] =>
  all.flatMap(({data}) => data ?? []);

const healthQuery = ({ids}: Api, name: string) => ({
  queryKey: ['ids-health', name],
  queryFn: ({signal}: {signal: AbortSignal}) =>
    oneOfFew(() => ids.getHealth(name, {signal}) as Promise<unknown> as Promise<EndpointHealthMessage>),
  refetchInterval: HEALTH_MS,
});

export const useHealth = (name: string) => useQuery(healthQuery(useApi(), name));

/** Of each, undefined until it is known; few at a time. */
export function useHealths(names: readonly string[]): ReadonlyMap<string, EndpointHealthMessage | undefined> {
  const api = useApi();
  const combine = useCallback(
    (all: readonly {readonly data: EndpointHealthMessage | undefined}[]) =>
      new Map(names.map((name, at) => [name, all[at]?.data])),
    [names],
  );
  return useQueries({queries: names.map(name => healthQuery(api, name)), combine});
}

/** Threats of the last 24 h by endpoint. */
export const useThreatSums = (project: string) => {
  const {ids} = useApi();
  const name = endpointsOf(project);
  return useQuery({
    queryKey: ['ids-threats-24h', name],
    queryFn: ({signal}) =>
      ids.aggregateRecords(name, 'threats', {
        since: new Date(wallClock() - DAY_MS).toISOString(),
        groupBy: 'endpoint',
        groupsMax: PAGE,
        signal,
      }),
    refetchInterval: THREATS_MS,
  });
};

export const useEndpoint = (name: string) => {
  const {ids} = useApi();
  return useQuery({
    queryKey: ['ids-endpoint', name],
    queryFn: ({signal}) => ids.getEndpoint(name, {signal}),
    refetchInterval: LIST_MS,
  });
};

/** All that the server keeps of the endpoint: often while one runs. */
export const useOperations = (name: string) => {
  const {ids} = useApi();
  const parent = locationOf(name);
  return useQuery<readonly Operation[]>({
    queryKey: ['ids-operations', name],
    queryFn: ({signal}) =>
      allPages(
        pageToken =>
          ids.listOperations(parent, {filter: `metadata.target="${name}"`, pageSize: PAGE, pageToken, signal}),
        page => page.operations,
      ),
    refetchInterval: ({state}) => (state.data?.some(({done}) => done !== true) ? RUNNING_MS : RESTING_MS),
  });
};

/** After a change: everything about the endpoint is read again. */
export function useAskAgain(name: string): () => Promise<void> {
  const queries = useQueryClient();
  return useMemo(() => () => askAgain(queries, name), [queries, name]);
}

async function askAgain(queries: QueryClient, name: string): Promise<void> {
  const keys = [
    ['ids-endpoint', name],
    ['ids-operations', name],
    ['ids-health', name],
    ['ids-endpoints'],
    ['ids-running'],
  ];
  await Promise.all(keys.map(queryKey => queries.invalidateQueries({queryKey})));
}

/** Shows an operation that was just accepted at once, before the next answer of the server. */
export const useAccepted = (): ((operation: Operation) => void) => {
  const queries = useQueryClient();
  return useCallback(
    operation =>
      queries.setQueryData<readonly Operation[]>(
        ['ids-operations', operation.metadata?.target ?? ''],
        (before = []) => [operation, ...before],
      ),
    [queries],
  );
};
