// SPDX-License-Identifier: Apache-2.0
/**
 * Fills the rules of ClusterRoles that have an aggregationRule from the roles it selects. Level-triggered: each round looks at
 * all of them, so a chain of aggregations settles after as many rounds as it is long.
 * Ref: kubernetes v1.36 pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
 */
import {isDeepStrictEqual} from 'node:util';
import {
  apply,
  type CachedObject,
  type Controller,
  type ControllerFactory,
  type ControllerHost,
  decodeItem,
  type KindDefinition,
  type PolicyRule,
} from '@palisade/apiserver';
import type {LabelSelector} from '@palisade/kube-wire';
import {toSelector} from '../label-selector.ts';
import {servedKind} from '../served-kind.ts';
import {type ClusterRole, RBAC_GROUP, rulesOf} from './types.ts';

const OPTIONS = {
  fieldManager: 'clusterrole-aggregation-controller',
  force: true,
  dryRun: false,
  fieldValidation: 'Ignore',
} as const;
const RETRY_MS = 5_000;
/** A longer chain than this is a ring that never settles; the next change starts it again. */
const ROUNDS_MAX = 32;

export const roleAggregation: ControllerFactory = host => new RoleAggregation(host);

const isAggregating = ({item}: CachedObject): boolean => item.includes('"aggregationRule":');

const selectorsOf = (object: CachedObject): readonly LabelSelector[] =>
  ((decodeItem(object) as ClusterRole).aggregationRule?.clusterRoleSelectors ?? []).map(toSelector);

const contentOf = ({verbs, apiGroups, resources, resourceNames, nonResourceURLs}: PolicyRule): string =>
  JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);

const decodedRules = new WeakMap<CachedObject, readonly (readonly [string, PolicyRule])[]>();

/** Decoded once per version of a role; each with its content as one text, which equal rules share. */
const storedRules = (object: CachedObject): readonly (readonly [string, PolicyRule])[] => {
  const known = decodedRules.get(object);
  if (known !== undefined) return known;
  const rules = rulesOf(decodeItem(object) as ClusterRole).map(rule => [contentOf(rule), rule] as const);
  decodedRules.set(object, rules);
  return rules;
};

class RoleAggregation implements Controller {
  readonly #host: ControllerHost;
  readonly #kind: KindDefinition;
  #unsubscribe: (() => void) | undefined;
  #retry: {cancel(): void} | undefined;
  #running: Promise<void> | undefined;
  #selectors: readonly LabelSelector[] = [];
  #again = false;
  #stopped = false;

  constructor(host: ControllerHost) {
    this.#host = host;
    this.#kind = servedKind(host, 'role aggregation', RBAC_GROUP, 'clusterroles');
  }

  /** Resolves when everything that is there is aggregated. */
  async start(): Promise<void> {
    this.#unsubscribe = this.#host.services.cache.resource(this.#kind).onEvent(({object, previous}) => {
      if (this.#concerns(object) || (previous !== undefined && this.#concerns(previous))) this.#wake();
    });
    this.#wake();
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe?.();
    this.#retry?.cancel();
    await this.#running;
  }

  /** It aggregates, or is selected by one that did in the last round; that there is a new one wakes by itself. */
  #concerns(object: CachedObject): boolean {
    return isAggregating(object) || this.#selectors.some(selector => selector.matches(object.labels));
  }

  #wake(): void {
    this.#again = true;
    if (!this.#stopped) this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    await new Promise<void>(resolve => this.#host.services.timers.soon(resolve));
    try {
      for (let round = 0; this.#again && !this.#stopped && round < ROUNDS_MAX; round++) {
        this.#again = false;
        await this.#round();
      }
    } catch (error) {
      this.#host.log.error({err: error}, 'role aggregation failed, retrying');
      this.#retryLater();
    }
    this.#running = undefined;
  }

  async #round(): Promise<void> {
    const objects = [...this.#host.services.cache.resource(this.#kind).objects.slices('')].flat();
    const aggregating = objects.filter(isAggregating).map(object => ({object, selectors: selectorsOf(object)}));
    this.#selectors = aggregating.flatMap(({selectors}) => selectors);
    for (const {object, selectors} of aggregating) {
      if (selectors.length === 0) continue;
      const rules = new Map<string, PolicyRule>();
      for (const selector of selectors) {
        for (const other of objects) {
          if (other.name === object.name || !selector.matches(other.labels)) continue;
          for (const [content, rule] of storedRules(other)) if (!rules.has(content)) rules.set(content, rule);
        }
      }
      const before = storedRules(object).map(([content]) => content);
      if (!isDeepStrictEqual([...rules.keys()], before)) await this.#writeOrRetry(object, [...rules.values()]);
    }
  }

  /** One that cannot be written does not keep the others from being filled. */
  async #writeOrRetry(object: CachedObject, rules: readonly PolicyRule[]): Promise<void> {
    try {
      await this.#write(object, rules);
    } catch (error) {
      this.#host.log.error({err: error, role: object.name}, 'aggregated role update failed, retrying');
      this.#retryLater();
    }
  }

  #retryLater(): void {
    if (this.#stopped) return;
    this.#retry?.cancel();
    this.#retry = this.#host.services.timers.after(RETRY_MS, () => this.#wake());
  }

  /** Undefined: there is no such role. */
  #uidOf(name: string): string | undefined {
    const object = this.#host.services.cache.resource(this.#kind).get('', name);
    return object === undefined ? undefined : decodeItem(object).metadata.uid;
  }

  /**
   * As upstream's controller: an apply that takes over the rules from their owner. A role that was deleted or replaced
   * meanwhile is left alone: it has another uid, and its own event.
   */
  async #write(object: CachedObject, rules: readonly PolicyRule[]): Promise<void> {
    const {group, version, kind} = this.#kind;
    const {uid, managedFields = []} = decodeItem(object).metadata;
    const metadata = {name: object.name, uid};
    const isEmpty = rules.length === 0 && !managedFields.some(isUpdateOfOurs);
    const applied = {apiVersion: `${group}/${version}`, kind, metadata, ...(isEmpty ? {} : {rules})};
    const base = this.#host.contextFor(this.#kind, '');
    const context = {...base, info: {...base.info, name: object.name, verb: 'patch'}};
    try {
      await apply(context, Buffer.from(JSON.stringify(applied)), OPTIONS);
    } catch (error) {
      if (this.#uidOf(object.name) === uid) throw error;
    }
  }
}

/** Servers before this one updated the rules, and such rules go only when empty ones are applied. */
const isUpdateOfOurs = ({manager, operation}: {manager?: string; operation?: string}): boolean =>
  manager === OPTIONS.fieldManager && operation === 'Update';
