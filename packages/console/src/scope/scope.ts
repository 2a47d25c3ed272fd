// SPDX-License-Identifier: Apache-2.0
/** What the pages look at: a namespace, a project with its location, or IDS endpoints. The address has it, and this browser remembers it. */
import {type Field, text} from '../routing/search.ts';

/** A part is '' while the address does not have it: what this browser remembers counts. `-` is all. */
export type Scope = {
  readonly namespace: string;
  /** `P` or `P/L`. */
  readonly project: string;
};
export const NO_SCOPE: Scope = {namespace: '', project: ''};

export const ALL = '-';
export const EVERYWHERE = 'projects/-/locations/-/endpoints/-';

const PART = /^[\w][\w.:-]*$/;
const isPart = (part: string): boolean => part === ALL || PART.test(part);
/** `.` and `..` would make it the address of something else. */
const STEP = /(^|\/)\.{1,2}(\/|$)/;
const ENDPOINTS = /^projects\/[^/?#\s]+\/locations\/[^/?#\s]+\/endpoints\/[^/?#\s]+$/;

/** `in`: the full name of an IDS endpoint, whose parts may be `-`; '' as in Scope. */
export const endpointsField = (): Field<string> => {
  const plain = text();
  const isName = (name: string): boolean => ENDPOINTS.test(name) && !STEP.test(name);
  const read = (all: readonly string[]): string => (isName(plain.read(all)) ? plain.read(all) : '');
  return {read, write: plain.write};
};

/** `projects/P/locations/L`; parts that are missing, or that cannot be an id, are `-`. */
export function parentOf(project: string): string {
  const [id = '', location = '', more] = project.split('/');
  const isGood = more === undefined && isPart(id) && (location === '' || isPart(location));
  return isGood ? `projects/${id}/locations/${location === '' ? ALL : location}` : 'projects/-/locations/-';
}

/** `projects/P/locations/L` of the full name of an IDS endpoint. */
export const locationOf = (endpoint: string): string => endpoint.split('/').slice(0, 4).join('/');

/** All IDS endpoints of `P` or `P/L`. */
export const endpointsOf = (project: string): string => `${parentOf(project)}/endpoints/-`;

/** What `endpointsOf` was made of; undefined for the name of one endpoint. */
export function projectOf(endpoints: string): string | undefined {
  const [, project, , location, , id] = endpoints.split('/');
  if (id !== ALL || project === undefined) return undefined;
  return location === ALL ? project : `${project}/${location}`;
}

/** IDS endpoints in words: `all in all projects`, `all in project p, location l`, or the full name of one. */
export function scopeText(endpoints: string): string {
  const project = projectOf(endpoints);
  if (project === undefined) return endpoints;
  const [id, location] = project.split('/');
  const where = location === undefined ? '' : `, location ${location}`;
  return id === ALL ? `all in all projects${where}` : `all in project ${id}${where}`;
}

/** The resource whose permissions apply: the endpoint, or the location of all its endpoints. */
export const rightsParent = (name: string): string =>
  name.endsWith('/-') ? name.replace(/\/endpoints\/-$/, '') : name;

/** Why a typed project is not taken; undefined: it is. */
export function whyNotProject(typed: string): string | undefined {
  const parts = typed.split('/');
  if (typed === '' || (parts.length <= 2 && parts.every(isPart))) return undefined;
  return `"${typed}" is not a project: enter its id, or PROJECT/LOCATION`;
}

export function parseKept(kept: string | null): Scope {
  try {
    const value: unknown = JSON.parse(kept ?? '');
    const {namespace, project} = value as Partial<Record<keyof Scope, unknown>>;
    const textOf = (one: unknown): string => (typeof one === 'string' ? one : '');
    return {namespace: textOf(namespace), project: textOf(project)};
  } catch {
    return NO_SCOPE;
  }
}

/** The fields of Scope that a page has, and `in`. */
export type ScopedSearch = Partial<Scope & {readonly in: string}>;

/** The fields that the address lacks and this browser remembers. */
export function missingOf(search: ScopedSearch, kept: Scope): ScopedSearch {
  return {
    ...(search.namespace === '' && kept.namespace !== '' && {namespace: kept.namespace}),
    ...(search.project === '' && kept.project !== '' && {project: kept.project}),
    ...(search.in === '' && kept.project !== '' && {in: endpointsOf(kept.project)}),
  };
}

/** What a choice makes this browser remember. One endpoint is no project to remember. */
export function keptOf(chosen: ScopedSearch, kept: Scope): Scope {
  const project = chosen.in === undefined ? chosen.project : projectOf(chosen.in);
  return {
    namespace: chosen.namespace === '' ? ALL : (chosen.namespace ?? kept.namespace),
    project: project === '' ? ALL : (project ?? kept.project),
  };
}
