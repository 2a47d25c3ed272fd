// SPDX-License-Identifier: Apache-2.0
import type {AuditEvent} from '@palisade/apiserver';
import {expect, test} from 'vitest';
import {AuditTable} from './audit-table.ts';

const event = (username: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: 'x', stage: 'ResponseComplete'},
  ...{requestURI: '/x', verb: 'get', user: {username}, sourceIPs: ['127.0.0.1']},
  objectRef: {resource: 'endpoints', apiGroup: 'ids.googleapis.com', subresource: 'threats', namespace: 'p', name: 'a'},
  responseStatus: {metadata: {}, code: 200},
  ...{requestReceivedTimestamp: '2026-11-28T10:00:00.000000Z', stageTimestamp: '2026-11-28T10:00:00.000000Z'},
  ...more,
});

test('columns of a page are as wide as its longest texts, and later pages keep them', () => {
  const table = new AuditTable();
  const long = 'system:serviceaccount:shop:controller-of-endpoints';
  const lines = `${table.page([event('anna'), event(long)])}${table.page([event('bob')])}`.trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  for (const [name, value] of [
    ['VERB', 'get'],
    ['CODE', '200'],
    ['RESOURCE', 'endpoints.ids.googleapis.com/threats'],
    ['NAME', 'p/a'],
  ] as const) {
    const at = lines[0]?.indexOf(` ${name}`);
    expect(lines.slice(1).map(line => line.indexOf(` ${value}`))).toEqual([at, at, at]);
  }
});

test('a text that is too long for a column is cut', () => {
  const [, row = ''] = new AuditTable().page([event('a'.repeat(100))]).split('\n');
  expect(row).toContain(`${'a'.repeat(61)}...  get`);
});

test('an answer that goes on is marked', () => {
  const page = new AuditTable().page([event('anna', {stage: 'ResponseStarted'}), event('anna')]);
  expect(page.match(/ 200(\.\.\.)? /g)).toEqual([' 200... ', ' 200 ']);
});
