// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {EngineError} from '../engine-error.ts';
import {depthFault} from './yaml-faults.ts';
import {parseYaml} from './yaml-file.ts';

test('48-6 a text that is nested too deeply is refused with its place, before it takes memory', () => {
  const deep = `a: 1\nb: ${'['.repeat(20_000)}`;
  expect(depthFault(deep)).toMatch(/^2:\d{3}: lists and mappings are nested too deeply: nest them less$/);
  expect(depthFault(`${'- '.repeat(600)}x`)).toMatch(/^1:\d+: /);
  expect(() => parseYaml(deep, 'f.yaml')).toThrow(EngineError);
  expect(depthFault(`a: ${'['.repeat(50)}${']'.repeat(50)}\n`)).toBeUndefined();
});
