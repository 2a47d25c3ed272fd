// SPDX-License-Identifier: Apache-2.0
import type {IdsEndpoint, Operation} from '@palisade/client/browser';
import {expect, test} from 'vitest';
import {historyOf} from './changes.ts';

const operation = (minute: number, verb: string, response?: Partial<IdsEndpoint>): Operation =>
  ({
    ...{name: `o/${minute}`, done: true, metadata: {createTime: `2026-11-28T10:0${minute}:00Z`, verb}},
    ...(response === undefined ? {error: {code: 13}} : {response: {name: 'e', severity: 'LOW', ...response}}),
  }) as Operation;

test('49-3 the history says what an update has changed, by the operation before that has an endpoint', () => {
  const rows = historyOf([
    operation(0, 'create', {labels: {a: '1', b: '2'}}),
    operation(1, 'update', {labels: {b: '2', a: '1'}, threatExceptions: ['1:7', 'T-1']}),
    operation(2, 'update'),
    operation(3, 'update', {threatExceptions: ['T-1'], severity: 'HIGH', trafficLogs: true, description: 'x'}),
  ]);
  expect(rows.map(({changes}) => changes)).toEqual([
    'Exception 1:7 removed; severity LOW changed to HIGH; traffic logs turned on; description changed; labels changed',
    '',
    'Exception 1:7 added; exception T-1 added',
    '',
  ]);
  expect(historyOf([operation(1, 'update', {})])[0]?.changes).toBe('');
});
