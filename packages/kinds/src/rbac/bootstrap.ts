// SPDX-License-Identifier: Apache-2.0
/**
 * Makes the roles and bindings of the policy, and gives back what was taken from them, unless an object says
 * `rbac.authorization.kubernetes.io/autoupdate: "false"`. What was added to them stays.
 * Ref: kubernetes v1.36 pkg/registry/rbac/rest/storage_rbac.go, component-helpers/auth/rbac/reconciliation.
 */
import {isDeepStrictEqual} from 'node:util';
import {
  createObject,
  type KubeObject,
  type RequestContext,
  trackFields,
  uncovered,
  updateObject,
} from '@palisade/apiserver';
import type {BootstrapBinding, BootstrapRole} from './policy-rules.ts';
import {type Binding, type ClusterRole, RBAC_GROUP, rulesOf} from './types.ts';

const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const LABELS = {'kubernetes.io/bootstrapping': 'rbac-defaults'};

/** `context` says of which kind they are, and in which namespace. */
export const bootstrapRoles = async (context: RequestContext, roles: readonly BootstrapRole[]): Promise<void> => {
  for (const role of roles) {
    await ensure(context, makeRole(role), current => completedRole(role, current as ClusterRole));
  }
};

export const bootstrapBindings = async (
  context: RequestContext,
  bindings: readonly BootstrapBinding[],
): Promise<void> => {
  const kind = context.kind.namespaced ? 'Role' : 'ClusterRole';
  for (const binding of bindings) {
    await ensure(context, makeBinding(binding, kind), current => completedBinding(binding, current as Binding));
  }
};

const metadataOf = (name: string, labels: Readonly<Record<string, string>> = {}): KubeObject['metadata'] => ({
  name,
  labels: {...LABELS, ...labels},
  annotations: {[AUTO_UPDATE]: 'true'},
});

const makeRole = ({name, labels, rules, selectors}: BootstrapRole): KubeObject => ({
  metadata: metadataOf(name, labels),
  ...(rules !== undefined && {rules: structuredClone(rules)}),
  ...(selectors !== undefined && {aggregationRule: {clusterRoleSelectors: structuredClone(selectors)}}),
});

const makeBinding = ({role, name = role, subjects}: BootstrapBinding, kind: 'Role' | 'ClusterRole'): KubeObject => ({
  metadata: metadataOf(name),
  subjects: structuredClone(subjects),
  roleRef: {apiGroup: RBAC_GROUP, kind, name: role},
});

/** Creates what is absent; completes what is there. */
const ensure = async (
  context: RequestContext,
  wanted: KubeObject,
  complete: (current: KubeObject) => KubeObject,
): Promise<void> => {
  const name = wanted.metadata.name ?? '';
  const namespace = context.info.namespace;
  if (context.kind.namespaced) wanted.metadata.namespace = namespace;
  if (context.registry.get(namespace, name) === undefined) {
    await createObject(
      context,
      trackFields(context, context.services.compat.managers.server, undefined, wanted, undefined),
      {dryRun: false},
    );
    return;
  }
  const named = {...context, info: {...context.info, name, verb: 'update'}};
  await updateObject(named, {
    dryRun: false,
    change: current => {
      if (current.metadata.annotations?.[AUTO_UPDATE] === 'false') return {...current, metadata: {...current.metadata}};
      const next = complete(current);
      const labels = {...next.metadata.labels, ...wanted.metadata.labels};
      const annotations = {...wanted.metadata.annotations, ...next.metadata.annotations};
      const draft = {...next, metadata: {...next.metadata, labels, annotations}};
      return isDeepStrictEqual(draft, current)
        ? draft
        : trackFields(named, context.services.compat.managers.server, current, draft, undefined);
    },
  });
};

const completedRole = ({rules, selectors}: BootstrapRole, current: ClusterRole): KubeObject => {
  const missing = rules === undefined ? [] : uncovered(rulesOf(current), rules);
  const held = current.aggregationRule?.clusterRoleSelectors ?? [];
  const lost = (selectors ?? []).filter(selector => !held.some(each => isDeepStrictEqual(each, selector)));
  return {
    ...current,
    ...(missing.length > 0 && {rules: [...rulesOf(current), ...missing]}),
    ...(lost.length > 0 && {aggregationRule: {clusterRoleSelectors: [...held, ...lost]}}),
  };
};

const completedBinding = ({subjects}: BootstrapBinding, current: Binding): KubeObject => {
  const held = current.subjects ?? [];
  const missing = subjects.filter(subject => !held.some(each => isDeepStrictEqual(each, subject)));
  return missing.length === 0 ? current : {...current, subjects: [...held, ...missing]};
};
