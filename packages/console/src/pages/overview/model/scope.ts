// SPDX-License-Identifier: Apache-2.0
/** What the overview looks at: a namespace and a project with its location, in the address and kept in this browser. */
import {type SearchShape, text} from '../../../routing/search.ts';

/** '' is not chosen: what this browser has kept counts. `-` is all. */
export type OverviewSearch = {
  readonly namespace: string;
  /** `P` or `P/L`. */
  readonly project: string;
};

export const OVERVIEW_SEARCH: SearchShape<OverviewSearch> = {namespace: text(), project: text()};
export const ALL = '-';
export const SCOPE_KEY = 'palisade.scope';

const NAME = /^[\w][\w.:-]*$/;
const isPart = (part: string): boolean => part === ALL || NAME.test(part);

/** `projects/P/locations/L`; parts that are not chosen, or that no project could be called, are `-`. */
export function parentOf(project: string): string {
  const [id = '', location = '', more] = project.split('/');
  const isGood = more === undefined && isPart(id) && (location === '' || isPart(location));
  return isGood ? `projects/${id}/locations/${location === '' ? ALL : location}` : 'projects/-/locations/-';
}

/** Why a typed project is not taken; undefined: it is. */
export function whyNotProject(typed: string): string | undefined {
  const parts = typed.split('/');
  if (typed === '' || (parts.length <= 2 && parts.every(isPart))) return undefined;
  return `"${typed}" is not a project: write its id, or PROJECT/LOCATION`;
}

export function parseKept(kept: string | null): OverviewSearch {
  try {
    const value: unknown = JSON.parse(kept ?? '');
    const {namespace, project} = value as Partial<Record<keyof OverviewSearch, unknown>>;
    const textOf = (one: unknown): string => (typeof one === 'string' ? one : '');
    return {namespace: textOf(namespace), project: textOf(project)};
  } catch {
    return {namespace: '', project: ''};
  }
}
