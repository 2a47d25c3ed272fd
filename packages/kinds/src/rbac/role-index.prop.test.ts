// SPDX-License-Identifier: Apache-2.0
/** The index gives what a walk over all bindings gives, after any sequence of changes. */
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {RoleIndex} from './role-index.ts';
import type {Binding, Subject} from './types.ts';

const NAMESPACES = ['', 'one', 'two'];
const subjects: readonly Subject[] = [
  {kind: 'User', name: 'alice'},
  {kind: 'User', name: 'system:serviceaccount:one:sa'},
  {kind: 'Group', name: 'dev'},
  {kind: 'ServiceAccount', name: 'sa'},
  {kind: 'ServiceAccount', name: 'sa', namespace: 'one'},
  {kind: 'Robot', name: 'alice'},
];
const users = [
  {name: 'alice', groups: ['system:authenticated']},
  {name: 'bob', groups: ['dev', 'dev']},
  {name: 'system:serviceaccount:one:sa', groups: []},
  {name: 'nobody', groups: []},
];

const change = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom('x', 'y', 'z'),
  subjects: fc.option(fc.subarray([...subjects]), {nil: undefined}),
});

/** Whether the subject means the user, told by its definition. */
const applies = (subject: Subject, namespace: string, user: (typeof users)[number]): boolean => {
  if (subject.kind === 'User') return user.name === subject.name;
  if (subject.kind === 'Group') return user.groups.includes(subject.name ?? '');
  const at = subject.namespace ?? namespace;
  return subject.kind === 'ServiceAccount' && at !== '' && user.name === `system:serviceaccount:${at}:${subject.name}`;
};

test('bindings are found by every subject they have, and by no other', () => {
  fc.assert(
    fc.property(fc.array(change, {maxLength: 40}), changes => {
      const index = new RoleIndex();
      const model = new Map<string, {namespace: string; name: string; subjects: readonly Subject[]}>();
      for (const {namespace, name, subjects: wanted} of changes) {
        const key = `${namespace}/${name}`;
        if (wanted === undefined) {
          index.deleteBinding(namespace, name);
          model.delete(key);
        } else {
          const roleRef = {apiGroup: 'g', kind: 'ClusterRole', name: 'r'};
          index.putBinding(namespace, name, {metadata: {name}, subjects: wanted, roleRef} as Binding);
          model.set(key, {namespace, name, subjects: wanted});
        }
      }
      for (const user of users) {
        for (const namespace of NAMESPACES) {
          const found = new Set([...index.bindingsOf(user, namespace)].map(b => `${b.namespace}/${b.name}`));
          const wanted = [...model.entries()].filter(
            ([, binding]) =>
              (binding.namespace === '' || binding.namespace === namespace) &&
              binding.subjects.some(subject => applies(subject, binding.namespace, user)),
          );
          expect([...found].sort()).toEqual(wanted.map(([key]) => key).sort());
        }
      }
    }),
  );
});

test('a role may come after its binding, change and go', () => {
  const index = new RoleIndex();
  const ref = {apiGroup: 'g', kind: 'Role', name: 'r'};
  expect(index.rulesOf(ref, 'one')).toBeUndefined();
  index.putRole('one', 'r', {metadata: {}, rules: [{verbs: ['get']}]});
  expect(index.rulesOf(ref, 'one')).toEqual([{verbs: ['get']}]);
  expect(index.rulesOf(ref, 'two')).toBeUndefined();
  expect(index.rulesOf(ref, '')).toBeUndefined();
  expect(index.rulesOf({...ref, kind: 'ClusterRole'}, 'one')).toBeUndefined();
  index.putRole('one', 'r', {metadata: {}, rules: null});
  expect(index.rulesOf(ref, 'one')).toEqual([]);
  index.deleteRole('one', 'r');
  expect(index.rulesOf(ref, 'one')).toBeUndefined();
});
