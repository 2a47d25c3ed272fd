// SPDX-License-Identifier: Apache-2.0
/** What a warning about port names costs. What it says: test/wire/service-ports.test.ts. */
import type {StrategyContext} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {servicePortWarnings} from './service-ports.ts';

const MANY = 60_000;

test('E-082 the names of a Service are put together once, however many ports match none of them', () => {
  const ports = (prefix: string) => Array.from({length: MANY}, (_, i) => ({name: `${prefix}${i}`, port: 80}));
  const context = {
    compat: {warnNaming: true},
    stored: () => ({metadata: {name: 'a'}, spec: {ports: ports('s')}}),
    user: {name: 'u', groups: ['system:masters'], extra: {}},
  } as unknown as StrategyContext;
  const endpoints = {metadata: {name: 'a', namespace: 'default'}, subsets: [{ports: ports('e')}]};
  const began = process.cpuUsage();
  const warnings = servicePortWarnings(endpoints as never, context);
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000); // once for each takes many times that
  expect(warnings).toHaveLength(MANY);
  expect(warnings[0]).toMatch(/"e0" matches no port .* \(its ports: s0, s1, .*, s9 and 59990 more\)$/);
});
