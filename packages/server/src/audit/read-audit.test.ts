// SPDX-License-Identifier: Apache-2.0
import {appendFile, mkdtemp, rename, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {AuditEvent} from '@palisade/apiserver';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {ManualTime} from '../../../apiserver/src/testing/manual-time.ts';
import {parseAuditWords} from './audit-parameters.ts';
import {matchesAudit, parseAuditLine} from './audit-query.ts';
import {rotatedName} from './file-names.ts';
import {readAudit} from './read-audit.ts';

let dir = '';
let path = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'palisade-audit-'));
  path = join(dir, 'audit.log');
});
afterEach(() => rm(dir, {recursive: true, force: true}));

const T0 = Date.parse('2026-11-28T10:00:00Z');
const event = (name: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  ...{kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: name, stage: 'ResponseComplete'},
  ...{requestURI: `/api/v1/namespaces/shop/secrets/${name}`, verb: 'get', user: {username: 'anna'}},
  objectRef: {resource: 'secrets', namespace: 'shop', name},
  responseStatus: {metadata: {}, code: 200},
  ...{requestReceivedTimestamp: '2026-11-28T10:00:00.000000Z', stageTimestamp: '2026-11-28T10:00:00.000000Z'},
  ...more,
});
const lines = (...names: string[]) => names.map(name => `${JSON.stringify(event(name))}\n`).join('');
const queryOf = (words: Record<string, string>) => {
  const {query, faults} = parseAuditWords(words, T0, name => name);
  expect(faults).toEqual([]);
  return query;
};
const namesOf = async (words: Record<string, string>): Promise<string[]> => {
  const names: string[] = [];
  for await (const {auditID} of readAudit(path, queryOf(words))) names.push(auditID);
  return names;
};

test('rotated files come first, oldest first; a line that is no event is skipped; limit takes the newest', async () => {
  await writeFile(join(dir, rotatedName(path, T0 - 1000)), lines('b'));
  await writeFile(join(dir, rotatedName(path, T0 - 2000)), lines('a'));
  await writeFile(path, `{"kind":"Eve\n${lines('c', 'd')}{"kind":"Event","stage`);
  expect(await namesOf({})).toEqual(['a', 'b', 'c', 'd']);
  expect(await namesOf({limit: '2'})).toEqual(['c', 'd']);
});

test('a follower has every event once and in order, across rotations, also two between two looks', async () => {
  await writeFile(path, lines('a'));
  const time = new ManualTime();
  const ending = new AbortController();
  const timers = {after: (ms: number, action: () => void) => time.after(ms, action)};
  const names: string[] = [];
  const reading = (async () => {
    for await (const {auditID} of readAudit(path, queryOf({follow: '1'}), {timers, signal: ending.signal}))
      names.push(auditID);
  })();
  const seen = (...expected: string[]) =>
    expect
      .poll(
        () => {
          time.advance(250);
          return names;
        },
        {interval: 5},
      )
      .toEqual(expected);
  await seen('a');
  await appendFile(path, lines('b'));
  await seen('a', 'b');
  await appendFile(path, lines('c'));
  await rename(path, join(dir, rotatedName(path, T0)));
  await writeFile(path, lines('d'));
  await rename(path, join(dir, rotatedName(path, T0 + 1)));
  await writeFile(path, lines('e'));
  await seen('a', 'b', 'c', 'd', 'e');
  const whole = JSON.stringify(event('f'));
  await appendFile(path, whole.slice(0, 20));
  await seen('a', 'b', 'c', 'd', 'e');
  await appendFile(path, `${whole.slice(20)}\n`);
  await seen('a', 'b', 'c', 'd', 'e', 'f');
  ending.abort();
  await reading;
});

const asked = event('x', {
  ...{verb: 'create', user: {username: 'anna'}, impersonatedUser: {username: 'bob'}},
  objectRef: {
    resource: 'endpoints',
    apiGroup: 'ids.googleapis.com',
    subresource: 'threats',
    namespace: 'p1',
    name: 'guard',
  },
  ...{responseStatus: {metadata: {}, code: 403}, annotations: {'authorization.k8s.io/decision': 'forbid'}},
});
test.each<[Record<string, string>, boolean]>([
  [{user: 'anna'}, true],
  [{user: 'bob'}, true],
  [{user: 'carol'}, false],
  [{verb: 'create', code: '403', decision: 'forbid'}, true],
  [{decision: 'allow'}, false],
  [{code: '200'}, false],
  [{resource: 'threats'}, true],
  [{resource: 'endpoints/threats'}, true],
  [{resource: 'endpoints.ids.googleapis.com'}, true],
  [{resource: 'endpoints'}, true],
  [{resource: 'endpoints.ids.googleapis.com/threats'}, true],
  [{resource: 'endpoints.ids.googleapis.com/evidence'}, false],
  [{resource: 'endpoints.example.com/threats'}, false],
  [{resource: 'endpoints.'}, false],
  [{resource: 'secrets'}, false],
  [{namespace: 'p1', name: 'guard'}, true],
  [{namespace: 'p2'}, false],
  [{since: '1h'}, true],
  [{since: '2026-11-28T10:00:01Z'}, false],
  [{until: '2026-11-28T10:00:00Z'}, false],
])('%j matches: %s', (words, matches) => {
  expect(matchesAudit(asked, queryOf(words))).toBe(matches);
});

test('an empty group is the core group', () => {
  const core = event('x', {objectRef: {resource: 'endpoints', namespace: 'shop', name: 'web'}});
  for (const resource of ['endpoints', 'endpoints.']) expect(matchesAudit(core, queryOf({resource}))).toBe(true);
  expect(matchesAudit(core, queryOf({resource: 'endpoints.ids.googleapis.com'}))).toBe(false);
});

test('a stream without a time begins now', () => {
  const before = event('x', {stageTimestamp: '2026-11-28T09:59:59.999000Z'});
  expect(matchesAudit(before, queryOf({follow: '1'}))).toBe(false);
  expect(matchesAudit(before, queryOf({follow: '1', since: '1m'}))).toBe(true);
  expect(matchesAudit(event('x'), queryOf({follow: '1'}))).toBe(true);
});

test('a request is shown when it ended, a stream also when it starts, and every event if asked for', () => {
  const stages = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
  const shown = (words: Record<string, string>) =>
    stages.filter(stage => matchesAudit(event('x', {stage}), queryOf(words)));
  expect(shown({})).toEqual(['ResponseStarted', 'ResponseComplete', 'Panic']);
  expect(shown({stages: 'all'})).toEqual(stages);
  const refused = event('x', {stage: 'ResponseStarted', responseStatus: {metadata: {}, code: 401}});
  expect(matchesAudit(refused, queryOf({decision: 'forbid'}))).toBe(true);
});

test('every fault of the words is named', () => {
  const words = {since: 'x', until: '1', limit: '0', code: '1', decision: 'no', stages: 'some', follow: '1'};
  const {faults} = parseAuditWords(words, T0, name => `--${name}`);
  expect(faults.map(fault => fault.split(':')[0])).toEqual([
    '--since x',
    '--until 1',
    '--limit 0',
    '--decision no',
    '--code 1',
    '--stages some',
    '--until 1',
    '--limit 0',
  ]);
});

test.each([
  '{"kind":"Event","stageTimestamp":""}',
  '{"kind":"Event","stageTimestamp":"","requestURI":"/","user":{}}',
  'null',
  '{',
])('48-6 a line that is no event of an audit log is skipped: %s', line => expect(parseAuditLine(line)).toBeUndefined());
