// SPDX-License-Identifier: Apache-2.0
/**
 * What the user may do, asked once and kept for a while: SelfSubjectAccessReviews, and `testIamPermissions` of IDS. The server
 * decides at each request anyway; this is only so that a button can say in advance why it does nothing.
 */
import {type KubeClient, type KubeObject, resourcePath, type Transport, toIdsError} from '@palisade/client/browser';
import {wallClock} from '../../clock.ts';
import {missingPermissionText, missingRightText, type Right, rightKey} from './right.ts';

/** undefined: not known yet. */
export type Verdict = {
  readonly allowed: boolean | undefined /** For `whyDisabled`. */;
  readonly why: string | undefined;
};

export type RightsBook = {
  readonly right: (right: Right) => Verdict;
  /** `parent`: `projects/P/locations/L`; permission: `ids.endpoints.create`. */
  readonly permission: (parent: string, permission: string) => Verdict;
  readonly forget: () => void;
  readonly subscribe: (listener: () => void) => () => void;
  /** Changes with each answer. */
  readonly version: () => number;
};

type Review = KubeObject & {
  readonly spec?: {readonly resourceAttributes?: object};
  readonly status?: {readonly allowed?: boolean};
};

const FRESH_MS = 60_000;
const CHECKING: Verdict = {allowed: undefined, why: 'Your rights are being checked'};
/** The server decides: it does not say in advance. */
const UNASKED: Verdict = {allowed: undefined, why: undefined};
const ALLOWED: Verdict = {allowed: true, why: undefined};

type Entry = {verdict: Verdict; readonly at: number};

export function createRightsBook(kube: KubeClient, transport: Transport, now: () => number = wallClock): RightsBook {
  const reviews = kube.resource<Review>({
    ...{group: 'authorization.k8s.io', version: 'v1', namespaced: false},
    ...{plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview'},
  });
  const entries = new Map<string, Entry>();
  const listeners = new Set<() => void>();
  const asked = new Map<string, Set<string>>();
  let version = 0;
  let generation = 0;
  const changed = (): void => {
    version++;
    for (const listener of [...listeners]) listener();
  };
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
  const review = async (key: string, right: Right): Promise<void> => {
    const of = generation;
    try {
      const {status} = await reviews.create('', {spec: {resourceAttributes: right}});
      answer(key, status?.allowed === true ? ALLOWED : {allowed: false, why: missingRightText(right)}, of);
    } catch {
      answer(key, UNASKED, of);
    }
  };
  const testAll = async (parent: string): Promise<void> => {
    const of = generation;
    const permissions = [...(asked.get(parent) ?? [])];
    asked.delete(parent);
    const granted = await testIamPermissions(transport, parent, permissions).catch(() => undefined);
    for (const permission of permissions) {
      const refused = {allowed: false, why: missingPermissionText(permission, parent)};
      const verdict = granted === undefined ? UNASKED : granted.includes(permission) ? ALLOWED : refused;
      answer(`ids ${parent} ${permission}`, verdict, of);
    }
  };
  return {
    right: right => {
      const key = rightKey(right);
      return known(key, () => void review(key, right));
    },
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
    subscribe: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
  };
}

/** Those of `permissions` that the user has. */
async function testIamPermissions(
  transport: Transport,
  parent: string,
  permissions: readonly string[],
): Promise<readonly string[]> {
  const path = `${resourcePath(parent)}:testIamPermissions`;
  const answer = await transport.send({method: 'POST', path, body: JSON.stringify({permissions})});
  if (answer.status >= 300) throw toIdsError(answer, `POST ${path}`);
  return (JSON.parse(answer.body) as {permissions?: readonly string[]}).permissions ?? [];
}
