// SPDX-License-Identifier: Apache-2.0
import {useNavigate, useParams, useSearch} from '@tanstack/react-router';
import {useCallback, useMemo} from 'react';
import {type RawSearch, readSearch, type SearchShape, writeSearch} from './search.ts';

export type SetSearch<S> = (
  patch: Partial<S>,
  /** A step of its own for the back button, such as another tab. Default: typing and filtering replace the step. */
  options?: {readonly push?: boolean},
) => void;

/** All state of a page, from its address. `shape` is defined outside of the component. */
export function useSearchState<S extends object>(shape: SearchShape<S>): readonly [S, SetSearch<S>] {
  const raw = useSearch({strict: false}) as RawSearch;
  const navigate = useNavigate();
  const state = useMemo(() => readSearch(shape, raw), [shape, raw]);
  const set = useCallback<SetSearch<S>>(
    (patch, options) => {
      const search = (before: RawSearch): RawSearch => writeSearch(shape, before, patch);
      // The routes are made from a list of pages, so that the router knows no types of theirs.
      void navigate({to: '.', search: search as never, replace: options?.push !== true});
    },
    [shape, navigate],
  );
  return [state, set];
}

/** The names in the path, decoded: `usePathParams('namespace', 'name')`. */
export function usePathParams<const N extends string>(...names: readonly N[]): Readonly<Record<N, string>> {
  const params = useParams({strict: false}) as Readonly<Record<string, string | undefined>>;
  return Object.fromEntries(names.map(name => [name, params[name] ?? ''])) as Record<N, string>;
}
