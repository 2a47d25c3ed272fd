// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {kubeModule} from './index.ts';
import {servedKind} from './served-kind.ts';

test('a controller gets a kind by its group and resource, and says what it is that has none', () => {
  expect(servedKind(kubeModule, 'a test', 'events.k8s.io', 'events').group).toBe('events.k8s.io');
  expect(servedKind(kubeModule, 'a test', '', 'events').group).toBe('');
  expect(() => servedKind(kubeModule, 'a test', 'platform.io', 'events')).toThrow('a test needs the kind events');
});
