// SPDX-License-Identifier: Apache-2.0
import {useEffect} from 'react';
import {useSearchState} from '../../routing/use-search-state.ts';
import {ALL, OVERVIEW_SEARCH, type OverviewSearch, parentOf, parseKept, SCOPE_KEY} from './model/scope.ts';

const readKept = (): OverviewSearch => {
  try {
    return parseKept(localStorage.getItem(SCOPE_KEY));
  } catch {
    return parseKept(null); // storage is switched off
  }
};

const keep = (scope: OverviewSearch): void => {
  try {
    localStorage.setItem(SCOPE_KEY, JSON.stringify(scope));
  } catch {
    // the address has it
  }
};

export type Scope = {
  /** '' is all. */
  readonly namespace: string;
  readonly project: string;
  /** `projects/P/locations/L`. */
  readonly parent: string;
  readonly choose: (patch: Partial<OverviewSearch>) => void;
};

const shown = (part: string): string => (part === ALL ? '' : part);

/** The address counts; what is not in it is as it was chosen last in this browser. */
export function useScope(): Scope {
  const [search, setSearch] = useSearchState(OVERVIEW_SEARCH);
  const kept = readKept();
  const namespace = search.namespace === '' ? kept.namespace : search.namespace;
  const project = search.project === '' ? kept.project : search.project;
  const isWhole = namespace === search.namespace && project === search.project;
  useEffect(() => {
    if (!isWhole) setSearch({namespace, project});
  }, [isWhole, namespace, project, setSearch]);
  const choose = (patch: Partial<OverviewSearch>): void => {
    const next = {namespace: ALL, project: ALL, ...withoutEmpty({namespace, project}), ...patch};
    const whole = {namespace: next.namespace || ALL, project: next.project || ALL};
    keep(whole);
    setSearch(whole, {push: true});
  };
  return {namespace: shown(namespace), project: shown(project), parent: parentOf(project || ALL), choose};
}

const withoutEmpty = (search: OverviewSearch): Partial<OverviewSearch> =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== ''));
