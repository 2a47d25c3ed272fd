// SPDX-License-Identifier: Apache-2.0
/** docs/reference/roles.md names every default role, its subjects, the roles that it is part of, and the permissions of the IDS roles. */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {PERMISSIONS} from '../../packages/ids/src/auth.ts';
import {BOOTSTRAP_BINDINGS, BOOTSTRAP_ROLES} from '../../packages/kinds/src/rbac/bootstrap-policy.ts';
import {SYSTEM_BINDINGS, SYSTEM_ROLES} from '../../packages/kinds/src/rbac/component-policy.ts';
import type {BootstrapBinding, BootstrapRole} from '../../packages/kinds/src/rbac/policy-rules.ts';

const sections = readFileSync('docs/reference/roles.md', 'utf8').split(/^## /m);

/** The rows of a table as their cells, by the backquoted name in the first. */
const tableOf = (title: string): ReadonlyMap<string, readonly string[]> => {
  const section = sections.find(text => text.startsWith(`${title}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| `([^`]+)` \|(.*)\|$/gm)];
  return new Map(rows.map(([, name = '', cells = '']) => [name, cells.split('|').map(cell => cell.trim())]));
};

const subjectsOf = (bindings: readonly BootstrapBinding[], role: string): string =>
  bindings
    .filter(binding => binding.role === role)
    .flatMap(({subjects}) => subjects)
    .map(({kind, name, namespace}) =>
      kind === 'ServiceAccount' ? `service account \`${namespace}/${name}\`` : `${kind?.toLowerCase()} \`${name}\``,
    )
    .join(', ') || '–';

const partOf = ({labels = {}}: BootstrapRole): string =>
  Object.keys(labels)
    .map(label => `\`${label.split('/aggregate-to-')[1]}\``)
    .join(', ') || '–';

test('each cluster role has its row, with its subjects and the roles that it is part of', () => {
  const rows = [...tableOf('Cluster roles')].map(([name, [subjects, part]]) => [name, subjects, part]);
  const roles = BOOTSTRAP_ROLES.map(role => [role.name, subjectsOf(BOOTSTRAP_BINDINGS, role.name), partOf(role)]);
  expect(rows.toSorted()).toEqual(roles.toSorted());
});

test('each role of kube-system has its row, with its subjects', () => {
  const rows = [...tableOf('Roles in `kube-system`')].map(([name, [subjects]]) => [name, subjects]);
  expect(rows).toEqual(SYSTEM_ROLES.map(({name}) => [name, subjectsOf(SYSTEM_BINDINGS, name)]));
});

test('each permission says which IDS roles have it', () => {
  const roles = ['ids-viewer', 'ids-analyst', 'ids-editor'];
  const has = (role: string, verb: string, resource: string): boolean =>
    (BOOTSTRAP_ROLES.find(({name}) => name === role)?.rules ?? []).some(
      ({verbs, resources}) => verbs.includes(verb) && resources?.includes(resource),
    );
  const said = [...tableOf('IDS permissions of the IDS roles')].map(([permission, cells]) => [
    permission,
    ...cells.map(cell => cell.startsWith('yes')),
  ]);
  const meant = Object.entries(PERMISSIONS).map(([permission, [verb, resource, subresource]]) => [
    permission,
    ...roles.map(role => has(role, verb, subresource === '' ? resource : `${resource}/${subresource}`)),
  ]);
  expect(said).toEqual(meant);
});
