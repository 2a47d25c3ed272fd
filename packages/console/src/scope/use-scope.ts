// SPDX-License-Identifier: Apache-2.0
import {useCallback, useEffect, useMemo} from 'react';
import type {SetSearch} from '../routing/use-search-state.ts';
import {ALL, EVERYWHERE, keptOf, missingOf, parseKept, type Scope, type ScopedSearch} from './scope.ts';

const KEY = 'palisade.scope';

const readKept = (): Scope => {
  try {
    return parseKept(localStorage.getItem(KEY));
  } catch {
    return parseKept(null); // storage is switched off
  }
};

/** Remembers a choice in this browser. */
export function keepScope(chosen: ScopedSearch): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(keptOf(chosen, readKept())));
  } catch {
    // the address has it
  }
}

/** The address, completed by the scope that was chosen last in this browser, which is then written into the address. */
export function useScoped<S extends ScopedSearch>(search: S, setSearch: SetSearch<S>): S {
  const missing = useMemo(() => missingOf(search, readKept()), [search]);
  useEffect(() => {
    if (Object.keys(missing).length > 0) setSearch(missing as Partial<S>);
  }, [missing, setSearch]);
  return useMemo(() => ({...search, ...missing}), [search, missing]);
}

/** Writes a choice into the address and remembers it; '' is all. */
export function useChooseScope<S extends ScopedSearch>(setSearch: SetSearch<S>): (chosen: Partial<Scope>) => void {
  return useCallback(
    chosen => {
      const whole = Object.fromEntries(Object.entries(chosen).map(([part, value]) => [part, value || ALL]));
      keepScope(whole);
      setSearch(whole as Partial<S>, {push: true});
    },
    [setSearch],
  );
}

/** A part of a scope as a field shows it: '' is all. */
export const shownPart = (part: string): string => (part === ALL ? '' : part);

/** As useScoped, for pages of records; all endpoints where nothing was chosen. */
export function useScopedEndpoints<S extends {readonly in: string}>(search: S, setSearch: SetSearch<S>): S {
  const scoped = useScoped(search, setSearch);
  return useMemo(() => (scoped.in === '' ? {...scoped, in: EVERYWHERE} : scoped), [scoped]);
}
