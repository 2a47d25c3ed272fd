// SPDX-License-Identifier: Apache-2.0

import type {Held} from '@palisade/client';
import {expect, test} from 'vitest';
import {kubeText} from './describe-kube.ts';

const described = (object: Held): Promise<string> => kubeText({object, deleted: false, holders: [], owners: []}, 0);

test('45-1 what a kind has besides metadata is shown as YAML, specification and status too', async () => {
  const text = await described({
    kind: 'Service',
    metadata: {name: 'web', namespace: 'shop'},
    spec: {clusterIP: '10.96.0.10', ports: [{name: 'http', port: 80}]},
    status: {loadBalancer: {}},
  } as Held);
  expect(text).toMatch(/^Name: +web\n/);
  expect(text).toContain('spec:\n  clusterIP: 10.96.0.10\n  ports:\n');
  expect(text).toContain('status:\n  loadBalancer: {}\n');
});

test('what has rows of its own is shown once', async () => {
  const text = await described({
    metadata: {name: 'shop'},
    spec: {finalizers: ['kubernetes']},
    status: {phase: 'Active', conditions: [{type: 'Ready', status: 'True'}]},
  });
  expect(text).toMatch(/Finalizers: +kubernetes \(spec\)\nPhase: +Active\nConditions:\n/);
  expect(text).not.toMatch(/^(spec|status):/m);
});
