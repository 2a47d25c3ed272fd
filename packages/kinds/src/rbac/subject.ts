// SPDX-License-Identifier: Apache-2.0
/** Whom a binding is for. Ref: kubernetes v1.36 pkg/registry/rbac/validation/rule.go (appliesToUser, describeSubject). */
import {serviceAccountUser, type UserInfo} from '@palisade/apiserver';
import {goQuote} from '@palisade/kube-wire';
import type {Subject} from './types.ts';

/** `u:NAME` or `g:NAME`: what a binding is found by. A service account is a user by its long name. */
export const subjectKey = (subject: Subject, bindingNamespace: string): string | undefined => {
  const {kind, name = '', namespace = ''} = subject;
  if (kind === 'User') return `u:${name}`;
  if (kind === 'Group') return `g:${name}`;
  if (kind !== 'ServiceAccount') return undefined;
  const at = namespace === '' ? bindingNamespace : namespace;
  return at === '' ? undefined : `u:${serviceAccountUser(at, name)}`;
};

const keys = new WeakMap<UserInfo, readonly string[]>();

/** The keys that apply to a user: kept per user object, which authenticators keep per token. */
export const keysOf = (user: UserInfo): readonly string[] => {
  let known = keys.get(user);
  if (known === undefined) {
    known = [`u:${user.name}`, ...new Set(user.groups.map(group => `g:${group}`))];
    keys.set(user, known);
  }
  return known;
};

export const describeSubject = ({kind = '', name = '', namespace = ''}: Subject, bindingNamespace: string): string => {
  if (kind !== 'ServiceAccount') return `${kind} ${goQuote(name)}`;
  return `${kind} ${goQuote(`${name}/${namespace === '' ? bindingNamespace : namespace}`)}`;
};
