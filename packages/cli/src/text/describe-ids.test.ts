// SPDX-License-Identifier: Apache-2.0
import type {EndpointHealth, IdsEndpoint} from '@palisade/client';
import {expect, test} from 'vitest';
import {endpointText} from './describe-ids.ts';

test('F-11 refused rules are listed, each in a line of its own', () => {
  const endpoint = {name: 'e', threatExceptions: ['1:1', '1:2']} as unknown as IdsEndpoint;
  const health = {
    rulesLoaded: 98,
    rulesFailed: 2,
    refusedRules: ['rule 3 of a.rules (line 3): no', 'rule 9 of a.rules (line 9): no'],
    skippedRules: [],
  } as unknown as EndpointHealth;
  expect(endpointText(endpoint, health)).toBe(
    [
      'name:                 e',
      'threatExceptions:     1:1, 1:2',
      'health.rulesLoaded:   98',
      'health.rulesFailed:   2',
      'health.refusedRules:  rule 3 of a.rules (line 3): no',
      '                      rule 9 of a.rules (line 9): no',
      'health.skippedRules:  -',
      '',
    ].join('\n'),
  );
});
