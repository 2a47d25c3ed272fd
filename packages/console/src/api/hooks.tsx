// SPDX-License-Identifier: Apache-2.0
/** The API for components. The modules without React in this folder do the work. */
import {type KubeObject, type Operation, type ResourceClient, waitForOperation} from '@palisade/client/browser';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type {Api} from './connection.ts';
import {type LiveState, startLiveList} from './live/live-list.ts';
import type {Right} from './rights/right.ts';
import type {Verdict} from './rights/rights-book.ts';
import type {SessionState} from './session.ts';
import type {Store} from './store.ts';
import {errorText, isAborted} from './words.ts';

const ApiContext = createContext<Api | undefined>(undefined);

export const ApiProvider = ({api, children}: {readonly api: Api; readonly children: ReactNode}): ReactNode => (
  <ApiContext.Provider value={api}>{children}</ApiContext.Provider>
);

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (api === undefined) throw new Error('useApi outside of ApiProvider');
  return api;
}

export const useStore = <T,>({get, subscribe}: Store<T>): T => useSyncExternalStore(subscribe, get);
export const useSession = (): SessionState => useStore(useApi().session.state);

/** May the user do this? `why` is for `whyDisabled` of a Button. */
export const useRight = (right: Right): Verdict => useRights([right])[0] as Verdict;

/** The same for several, in their order; asked side by side. */
export function useRights(rights: readonly Right[]): readonly Verdict[] {
  const book = useApi().rights;
  useSyncExternalStore(book.subscribe, book.version);
  return rights.map(right => book.right(right));
}

/** The same for a permission of IDS; `parent`: `projects/P/locations/L`. One request for all of one render. */
export function usePermission(parent: string, permission: string): Verdict {
  const book = useApi().rights;
  useSyncExternalStore(book.subscribe, book.version);
  return book.permission(parent, permission);
}

/** The same where the right in one of several parents is enough. `why`: of the first. */
export function usePermissionInAny(parents: readonly string[], permission: string): Verdict {
  const book = useApi().rights;
  useSyncExternalStore(book.subscribe, book.version);
  let first: Verdict | undefined;
  for (const parent of parents) {
    const verdict = book.permission(parent, permission);
    // The next one is asked about once this one has refused.
    if (verdict.why === undefined || verdict.allowed === undefined) return verdict;
    first ??= verdict;
  }
  return first ?? {allowed: undefined, why: undefined};
}

export type Live<S> = S & {readonly retry: () => void};

type Started<S> = {readonly state: Store<S>; readonly retry: () => void; readonly stop: () => void};

/** Starts a live source when it is first shown, stops it at the end, and starts another one when `key` changes. */
function useStarted<S>(first: S, key: string, start: () => Started<S>): Live<S> {
  const latest = useRef(start);
  latest.current = start;
  const [started, setStarted] = useState<{readonly key: string; readonly of: Started<S>} | undefined>();
  useEffect(() => {
    const of = latest.current();
    setStarted({key, of});
    return () => of.stop();
  }, [key]);
  const current = started?.key === key ? started.of : undefined;
  const nothing = useMemo(() => ({get: () => first, subscribe: () => () => {}}), [first]);
  const state = useSyncExternalStore(current?.state.subscribe ?? nothing.subscribe, current?.state.get ?? nothing.get);
  const retry = useCallback(() => current?.retry(), [current]);
  return useMemo(() => ({...state, retry}), [state, retry]);
}

export type KubeListOptions<T extends KubeObject, Row> = {
  /** `kube.endpoints`, `kube.resource(TYPE)`. */
  readonly client: Pick<ResourceClient<T>, 'list' | 'watch'>;
  /** Of the kind, unique: `endpoints`. */
  readonly id: string;
  readonly namespace?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** What is kept of an object. Pure, defined outside of the component. */
  readonly toRow: (object: T) => Row;
};

const NO_ROWS: LiveState<never> = {rows: [], phase: 'loading'};

/** All objects of a kind as compact rows, live; one stream. */
export function useKubeList<T extends KubeObject, Row>(options: KubeListOptions<T, Row>): Live<LiveState<Row>> {
  const {surroundings} = useApi();
  const {id, namespace, labelSelector, fieldSelector} = options;
  const key = JSON.stringify([id, namespace, labelSelector, fieldSelector]);
  return useStarted<LiveState<Row>>(NO_ROWS, key, () => startLiveList({...options, surroundings}));
}

export type OperationState =
  | {readonly phase: 'idle'}
  /** `text`: what the operation says about its progress. */
  | {readonly phase: 'running'; readonly text: string}
  | {readonly phase: 'done'; readonly operation: Operation}
  | {readonly phase: 'failed'; readonly text: string};

const OPERATION_MS = 900_000;

/** Starts a long-running operation of IDS and follows it to its end. A page that is left follows it no further; it goes on. */
export function useOperation(): readonly [
  OperationState,
  (start: () => Promise<Operation>) => Promise<Operation | undefined>,
] {
  const {ids, surroundings} = useApi();
  const [state, setState] = useState<OperationState>({phase: 'idle'});
  const control = useRef<AbortController>(undefined);
  useEffect(() => () => control.current?.abort(), []);
  const run = useCallback(
    async (start: () => Promise<Operation>): Promise<Operation | undefined> => {
      const current = new AbortController();
      const {signal} = current;
      control.current = current;
      setState({phase: 'running', text: ''});
      try {
        const onProgress = (text: string): void => setState({phase: 'running', text});
        const options = {clock: surroundings.clock, timeoutMs: OPERATION_MS, signal, onProgress};
        const operation = await waitForOperation(ids, await start(), options);
        setState({phase: 'done', operation});
        return operation;
      } catch (error) {
        if (!signal.aborted && !isAborted(error)) setState({phase: 'failed', text: errorText(error)});
        return undefined;
      }
    },
    [ids, surroundings],
  );
  return [state, run];
}
