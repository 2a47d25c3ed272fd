// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {isFailingGroup, toGroupRow, toRegistrationRow} from './group-row.ts';
import type {EndpointGroup} from './kinds.ts';
import {matchingMembers, memberRows} from './member-row.ts';
import {matchingGroups, matchingRegistrations} from './search.ts';
import {checkText, selectorText} from './text.ts';

const check = {httpGet: {path: '/healthz'}, periodSeconds: 5};
const group: EndpointGroup = {
  metadata: {name: 'web', namespace: 'shop', creationTimestamp: '2026-11-28T10:00:00Z'},
  spec: {ports: [{name: 'http', port: 8080, check}], members: [{ip: '10.0.0.3', hostname: 'c'}]},
  status: {
    ready: 1,
    total: 2,
    conditions: [
      {type: 'Composed', status: 'True', reason: 'Composed'},
      {type: 'Panic', status: 'True', reason: 'TooFewPass', message: 'panic'},
    ],
    members: [
      {ip: '10.0.0.1', registration: 'm1', ports: [{name: 'http', port: 9090, state: 'Ready', results: []}]},
      {
        ip: '10.0.0.3',
        ports: [
          {
            name: 'http',
            port: 8080,
            state: 'NotReady',
            since: '2026-11-28T10:01:00Z',
            lastError: 'connection refused',
            results: [
              {time: '2026-11-28T10:02:05Z', passed: false, milliseconds: 1, message: 'connection refused'},
              {time: '2026-11-28T10:02:00Z', passed: true, milliseconds: 3},
            ],
          },
        ],
      },
    ],
  },
};
const whole = toGroupRow({metadata: {name: 'ok', namespace: 'shop'}, status: {ready: 1, total: 1}});

test('49-3 a group has its failing members, registrations and what its conditions ask for', () => {
  expect(toGroupRow(group)).toMatchObject({
    failing: '10.0.0.3 http:8080: connection refused',
    failingCount: 1,
    registered: 1,
    problems: [{passing: true, reason: 'Panic', message: 'panic'}],
  });
  const refused = toGroupRow({
    status: {conditions: [{type: 'Composed', status: 'False', reason: 'NameConflict', message: 'taken'}]},
  });
  expect(refused.problems).toEqual([{passing: false, reason: 'NameConflict', message: 'taken'}]);
  expect([toGroupRow(group), refused, whole].map(isFailingGroup)).toEqual([true, true, false]);
});

test('49-3 failing members have their own reasons, and one where it is the same', () => {
  const failing = (...errors: (string | undefined)[]): string =>
    toGroupRow({
      status: {
        members: errors.map((lastError, at) => ({
          ip: `10.0.0.${at}`,
          ports: [{port: 80, state: 'NotReady', ...(lastError === undefined ? {} : {lastError})}],
        })),
      },
    }).failing;
  expect(failing('status 404', 'timeout')).toBe('10.0.0.0 80: status 404; 10.0.0.1 80: timeout');
  expect(failing('refused', 'refused')).toBe('10.0.0.0 80, 10.0.0.1 80: refused');
  expect(failing(undefined, 'refused')).toBe('10.0.0.0 80; 10.0.0.1 80: refused');
  expect(failing('a', 'a', 'a', 'a')).toBe('10.0.0.0 80, 10.0.0.1 80, 10.0.0.2 80 and 1 more: a');
  expect(failing('a', 'a', 'a', 'b')).toBe('10.0.0.0 80: a; 10.0.0.1 80: a; 10.0.0.2 80: a and 1 more');
  expect([failing(undefined), failing()]).toEqual(['10.0.0.0 80', '']);
});

test('49-3 a member has its checks oldest first and its next one a period after the last', () => {
  const rows = memberRows(group, []);
  expect(rows.map(({key}) => key)).toEqual(['10.0.0.1 http:9090', '10.0.0.3 http:8080']);
  expect(rows[0]?.next).toBeUndefined();
  expect(rows[1]?.squares.map(({state}) => state)).toEqual(['ok', 'bad']);
  expect(rows[1]?.squares[1]?.title).toMatch(/connection refused \(1 ms\)$/);
  expect(rows[1]?.next).toBe(Date.parse('2026-11-28T10:02:10Z'));
});

test('49-3 the check of a registration counts before that of the group', () => {
  const own = {metadata: {name: 'm1'}, spec: {ports: [{name: 'http', port: 9090, check: {periodSeconds: 60}}]}};
  expect(memberRows(group, [own])[0]?.spec?.check?.periodSeconds).toBe(60);
});

test.each([
  ['by address', '10.0.0.3', false, 1],
  ['by registration', 'm1', false, 1],
  ['by error', 'refused', false, 1],
  ['only failing', '', true, 1],
  ['all', '', false, 2],
])('49-3 members %s', (_, q, failing, count) => {
  expect(matchingMembers(memberRows(group, []), q, failing)).toHaveLength(count);
});

test('49-3 groups and registrations by words, and only failing', () => {
  const rows = [toGroupRow(group), whole];
  const names = (q: string, failing = false) => matchingGroups(rows, {q, failing}).map(({name}) => name);
  expect([names('10.0.0.1'), names('ok'), names('', true)]).toEqual([['web'], ['ok'], ['web']]);
  const live = toRegistrationRow({
    metadata: {name: 'm1'},
    spec: {group: 'web', user: 'a', addresses: ['10.0.0.1']},
    status: {state: 'Live'},
  });
  const gone = toRegistrationRow({metadata: {name: 'm2'}, spec: {group: 'web'}, status: {state: 'Expired'}});
  const found = (q: string, failing = false) => matchingRegistrations([live, gone], {q, failing}).map(({name}) => name);
  expect([found('web 10.0'), found('', true)]).toEqual([['m1'], ['m2']]);
});

test('49-3 checks and selectors in words', () => {
  expect(checkText({port: 1, check})).toBe('GET /healthz every 5s, timeout 1s, ready after 1, not ready after 3');
  expect(checkText({port: 1})).toBe('no check: always ready');
  const matchExpressions = [
    {key: 'tier', operator: 'In', values: ['a', 'b']},
    {key: 'old', operator: 'DoesNotExist'},
  ];
  expect(selectorText({matchLabels: {app: 'web'}, matchExpressions})).toBe('app=web,tier in (a,b),!old');
});
