// SPDX-License-Identifier: Apache-2.0
/** The table of IDS permissions in the guide is that of the code, and the roles that every server has are as the guide says. */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {IDS_GROUP, PERMISSIONS} from '../../packages/ids/src/auth.ts';
import {BOOTSTRAP_ROLES} from '../../packages/kinds/src/rbac/bootstrap-policy.ts';

const guide = readFileSync('docs/guides/users-and-roles.md', 'utf8');

const asked = Object.entries(PERMISSIONS).map(([permission, [verb, resource, subresource]]) => ({
  permission,
  verb,
  resource: subresource === '' ? resource : `${resource}/${subresource}`,
}));

test('every permission has its row, with verb and resource; no row has no permission', () => {
  const rows = [...guide.matchAll(/^\| `([\w.]+)` \| `(\w+)` \| `([\w/]+)` \|/gm)].map(
    ([, permission, verb, resource]) => ({permission, verb, resource}),
  );
  expect(rows).toEqual(asked);
});

test('the role of the guide names every resource of the group but that of forwarding rules', () => {
  const [, resources = ''] = /- apiGroups: \[(?:ids\.googleapis\.com)\]\n +resources: \[(.*)\]/.exec(guide) ?? [];
  const all = new Set(asked.map(({resource}) => resource));
  all.delete('forwardingrules');
  expect(resources.split(', ').toSorted()).toEqual([...all].sort());
});

test.each([
  ['ids-editor', asked],
  [
    'ids-viewer',
    asked.filter(({verb, resource}) => ['get', 'list'].includes(verb) && resource !== 'endpoints/evidence'),
  ],
  [
    'ids-analyst',
    asked.filter(({verb, permission}) => ['get', 'list'].includes(verb) || permission === 'ids.threats.update'),
  ],
])('%s allows what the guide says', (name, allowed) => {
  const rules = BOOTSTRAP_ROLES.find(role => role.name === name)?.rules ?? [];
  for (const {apiGroups} of rules) expect(apiGroups).toEqual([IDS_GROUP]);
  const isAllowed = ({verb, resource}: {verb: string; resource: string}): boolean =>
    rules.some(({verbs, resources}) => verbs.includes(verb) && resources?.includes(resource));
  expect(asked.filter(isAllowed)).toEqual(allowed);
});
