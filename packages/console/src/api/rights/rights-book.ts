// SPDX-License-Identifier: Apache-2.0
/**
 * What the user may do, asked once and kept for a while: SelfSubjectAccessReviews, and `testIamPermissions` of IDS. The server
 * decides at each request anyway; this is only so that a button can say in advance why it does nothing.
 */
import {type IdsClient, type KubeClient, reviewAccess} from '@palisade/client/browser';
import type {IdsPermission} from '@palisade/ids-wire';
import {wallClock} from '../../clock.ts';
import {missingPermissionText, missingRightText, type Right, rightKey} from './right.ts';

/** undefined: not known yet. */
export type Verdict = {
  readonly allowed: boolean | undefined /** For `whyDisabled`. */;
  readonly why: string | undefined;
};

/** Of a right that suffices in one namespace: why it is missing in all of them. `everywhere`: the right in all namespaces at once. */
export function whyInNone(everywhere: Verdict, inOne: readonly Verdict[]): string | undefined {
  if (everywhere.allowed !== false) return everywhere.why;
  if (inOne.some(({why}) => why === undefined)) return undefined;
  return inOne.find(({allowed}) => allowed === undefined)?.why ?? everywhere.why;
}

export type RightsBook = {
  readonly right: (right: Right) => Verdict;
  /** `parent`: `projects/P/locations/L`; permission: `ids.endpoints.create`. */
  readonly permission: (parent: string, permission: string) => Verdict;
  readonly forget: () => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** Changes with each answer. */
  readonly version: () => number;
};

const FRESH_MS = 60_000;
const CHECKING: Verdict = {allowed: undefined, why: 'Your rights are being checked'};
/** The server decides: it does not say in advance. */
const UNASKED: Verdict = {allowed: undefined, why: undefined};
const ALLOWED: Verdict = {allowed: true, why: undefined};

type Entry = {verdict: Verdict; readonly at: number};

type Listeners = Pick<RightsBook, 'subscribe' | 'version'> & {readonly changed: () => void};

function createListeners(): Listeners {
  const listeners = new Set<() => void>();
  let version = 0;
  return {
    changed: () => {
      version++;
      for (const listener of [...listeners]) listener();
    },
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

export function createRightsBook(
  kube: Pick<KubeClient, 'resource'>,
  ids: Pick<IdsClient, 'testPermissions'>,
  now: () => number = wallClock,
): RightsBook {
  const entries = new Map<string, Entry>();
  const listeners = createListeners();
  const asked = new Map<string, Set<string>>();
  let open: Right[] = [];
  let generation = 0;
  const {changed} = listeners;
  const known = (key: string, ask: () => void): Verdict => {
    const entry = entries.get(key);
    if (entry !== undefined && now() - entry.at < FRESH_MS) return entry.verdict;
    entries.set(key, {verdict: entry?.verdict ?? CHECKING, at: now()});
    ask();
    return entry?.verdict ?? CHECKING;
  };
  const answer = (key: string, verdict: Verdict, of: number): void => {
    if (of !== generation) return; // of a user who has signed out
    entries.set(key, {verdict, at: now()});
    changed();
  };
  const reviewAll = async (): Promise<void> => {
    const of = generation;
    const rights = open;
    open = [];
    const answers = await reviewAccess(kube, rights).catch(() => undefined);
    rights.forEach((right, at) => {
      const refused = {allowed: false, why: missingRightText(right)};
      const verdict = answers === undefined ? UNASKED : answers[at]?.allowed === true ? ALLOWED : refused;
      answer(rightKey(right), verdict, of);
    });
  };
  const testAll = async (parent: string): Promise<void> => {
    const of = generation;
    const permissions = [...(asked.get(parent) ?? [])];
    asked.delete(parent);
    // The server refuses a name that it does not know.
    const granted: readonly string[] | undefined = await ids
      .testPermissions(parent, permissions as readonly IdsPermission[])
      .catch(() => undefined);
    for (const permission of permissions) {
      const refused = {allowed: false, why: missingPermissionText(permission, parent)};
      const verdict = granted === undefined ? UNASKED : granted.includes(permission) ? ALLOWED : refused;
      answer(`ids ${parent} ${permission}`, verdict, of);
    }
  };
  return {
    right: right =>
      known(rightKey(right), () => {
        if (open.length === 0) queueMicrotask(() => void reviewAll()); // all of one render side by side
        open.push(right);
      }),
    permission: (parent, permission) =>
      known(`ids ${parent} ${permission}`, () => {
        const batch = asked.get(parent) ?? new Set();
        if (batch.size === 0) queueMicrotask(() => void testAll(parent)); // all of one render in one request
        asked.set(parent, batch.add(permission));
      }),
    forget: () => {
      generation++;
      entries.clear();
      changed();
    },
    subscribe: listeners.subscribe,
    version: listeners.version,
  };
}
