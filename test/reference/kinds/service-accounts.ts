// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {type Body, manyOf, rarely, type Subject, some} from '../steps.ts';

const secret = some(
  {
    name: rarely(fc.constantFrom('s1', 's2', 's3'), fc.constantFrom('', null, 'Bad name')),
    namespace: fc.constant('shop'),
    kind: fc.constant('Secret'),
    uid: fc.constant('u1'),
  },
  'name',
);
const pull = some({name: rarely(fc.constantFrom('r1', 'r2'), fc.constantFrom('', null))});

export const serviceAccounts: Subject = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  resource: 'serviceaccounts',
  present: ['default'],
  fields: some({
    secrets: manyOf(rarely(secret, fc.constantFrom({}, {namespace: 'shop'})), 3),
    imagePullSecrets: manyOf(pull, 2),
    automountServiceAccountToken: rarely(fc.boolean(), fc.constant(null)),
  }).map(fields => fields as Body),
  valid: {},
  pointers: [
    '/secrets',
    '/secrets/-',
    '/secrets/0',
    '/secrets/0/name',
    '/imagePullSecrets',
    '/imagePullSecrets/-',
    '/automountServiceAccountToken',
    '/metadata/annotations/kubernetes.io~1enforce-mountable-secrets',
  ],
  values: fc.oneof(fc.constantFrom('s9', true, {}, [], 'true'), secret, pull),
};
