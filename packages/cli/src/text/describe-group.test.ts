// SPDX-License-Identifier: Apache-2.0

import type {Held} from '@palisade/client';
import {expect, test} from 'vitest';
import {kubeText} from './describe-kube.ts';

const NOW_MS = Date.parse('2026-11-28T12:05:00Z');
const since = '2026-11-28T12:00:00.000000Z';
const results = (text: string): object[] =>
  [...text].map(one => ({time: since, passed: one === '+', milliseconds: 2, message: one === '+' ? '' : 'refused'}));
const described = (status: object, more: object = {}): Promise<string> => {
  const metadata = {name: 'web', namespace: 'shop'};
  const object = {apiVersion: 'platform.io/v1alpha1', kind: 'EndpointGroup', metadata, status, ...more} as Held;
  return kubeText({object, deleted: false, holders: [], owners: []}, NOW_MS);
};
const linesOf = (text: string): string[] => text.split('\n').filter(line => line.startsWith('  '));
const port = (state: string, more: object = {}): object => ({
  name: 'http',
  port: 80,
  protocol: 'TCP',
  state,
  since,
  ...more,
});

test('46-2 describe shows one line for each member and port of a group, with what its checks say', async () => {
  const lastError = 'connection refused';
  const text = await described({
    observedGeneration: 1,
    ready: 1,
    total: 3,
    conditions: [{type: 'Composed', status: 'True', reason: 'Composed', message: 'up to date'}],
    members: [
      {ip: '10.0.0.1', ports: [port('Ready', {results: results('+'.repeat(20))})]},
      {
        ip: '10.0.0.2',
        registration: 'm2',
        draining: true,
        ports: [
          port('NotReady', {lastError, results: results(`---${'+'.repeat(17)}`)}),
          {port: 53, protocol: 'TCP', state: 'Starting', since},
        ],
      },
      {ip: 'fd00::3'},
    ],
  });
  expect(text).toContain('Conditions:\n  Composed=True (Composed): up to date\nMembers:               1 of 3 ready\n');
  const ago = 'since 2026-11-28 12:00:00 UTC (5 minutes ago)';
  expect(linesOf(text).slice(1, 5)).toEqual([
    `  10.0.0.1                 http 80/TCP  Ready     ${ago}  20 of 20 passed`,
    `  10.0.0.2 (m2, draining)  http 80/TCP  NotReady  ${ago}  17 of 20 passed, the last 3 failed, last error: connection refused`,
    `  10.0.0.2 (m2, draining)  53/TCP       Starting  ${ago}  no result yet`,
    '  fd00::3                  no port',
  ]);
  expect(text).toContain('status:\n  observedGeneration: 1\n');
  expect(text).not.toMatch(/results:|milliseconds|total:/);
});

test.each([
  [port('Ready', {lastError: 'timed out', results: results('++-+')}), '3 of 4 passed, last error: timed out'],
  [
    port('Ready', {lastError: 'a\n\u001b[31mb', results: results('-+')}),
    '1 of 2 passed, the last one failed, last error: a\\n^[[31mb',
  ],
  [port('NotReady', {lastError: 'timed out', results: results('--')}), '0 of 2 passed, last error: timed out'],
  [port('NotReady', {lastError: 'timed out'}), 'last error: timed out'],
  [port('Unchecked'), 'no check'],
])('46-2 results of a port %o are one phrase: %s', async (shown, phrase) => {
  const [line = ''] = linesOf(await described({ready: 1, total: 1, members: [{ip: '10.0.0.1', ports: [shown]}]}));
  expect(line.endsWith(`  ${phrase}`)).toBe(true);
});

test('46-2 a group that has no status yet has no member, and members of other kinds are shown as they are', async () => {
  expect(await described({})).toContain('Members:               0 of 0 ready\n');
  const other = await described({members: [{ip: '10.0.0.1'}]}, {kind: 'Other'});
  expect(other).toContain('status:\n  members:\n');
});
