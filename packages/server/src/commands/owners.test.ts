// SPDX-License-Identifier: Apache-2.0
import type {KubeClient} from '@palisade/client';
import {expect, test} from 'vitest';
import type {Target} from './kube-target.ts';
import {ownersOf} from './owners.ts';

test('E-257 of an owner of core/v1, which modes judge differently, nothing is claimed', async () => {
  const owner = {apiVersion: 'core/v1', kind: 'Endpoints', name: 'o', uid: 'u'};
  const target = {namespace: 'shop', served: {kinds: []}} as unknown as Target;
  const [state] = await ownersOf({} as KubeClient, target, {metadata: {ownerReferences: [owner]}});
  expect(state).toMatchObject({state: 'unknown', what: expect.stringContaining('v1 with --compat spec')});
});
