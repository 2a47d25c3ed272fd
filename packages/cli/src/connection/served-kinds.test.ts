// SPDX-License-Identifier: Apache-2.0

import type {ServedKind} from '@palisade/client';
import {expect, test} from 'vitest';
import {findKind} from './served-kinds.ts';

const kind = (plural: string, singular: string): ServedKind => ({
  group: '',
  version: 'v1',
  plural,
  singular,
  kind: singular,
  namespaced: true,
  shortNames: [],
  verbs: ['get'],
});
const kinds = [kind('endpoints', 'endpoints'), kind('namespaces', 'namespace'), kind('roles', 'role')];

test.each([
  ['rols', 'roles'],
  ['endpiont', 'endpoints'],
  ['namspace', 'namespace'],
])('of an unknown resource "%s" the near "%s" is offered', (word, near) => {
  expect(() => findKind({kinds, unread: []}, word)).toThrow(
    `unknown resource "${word}" (did you mean "${near}"?): this`,
  );
});

test.each(['pods', 'jobs'])('for "%s" nothing is offered: no kind is near', word => {
  expect(() => findKind({kinds, unread: []}, word)).toThrow(
    `unknown resource "${word}": this server has endpoints, namespaces, roles`,
  );
});
