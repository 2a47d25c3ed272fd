// SPDX-License-Identifier: Apache-2.0
/** Decisions about threats through a socket: who, when, whose right, what is refused, and that they can be filtered by and followed. */
import type {Severity} from '@palisade/ids-wire';
import {afterAll, beforeAll, beforeEach, describe, expect, test} from 'vitest';
import type {Authenticator, Authorizer} from '../../packages/ids/src/index.ts';
import {COMMENT_CHARS_MAX, TRIAGE_BATCH_MAX, TRIAGE_EVENTS_MAX} from '../../packages/ids/src/limits.ts';
import {recordIdOf} from '../../packages/ids/src/records/record-id.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {ManualTime} from '../../packages/ids/src/testing/manual-time.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {FILTER_LENGTH_MAX, FILTER_TERMS_MAX, parseFilter} from '../../packages/ids-wire/src/filter/parse.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {silentLog, startTestServer, type TestServer} from './test-server.ts';

const START = '2026-01-01T00:00:00Z';
const START_MS = Date.parse(START);
const P = 'projects/p/locations/local';
const [GUARD, EDGE, OTHER] = [
  `${P}/endpoints/guard`,
  `${P}/endpoints/edge`,
  'projects/q/locations/local/endpoints/guard',
];

const authenticator: Authenticator = {
  authenticate: ({headers}) => {
    const token = /^Bearer (\w+)$/.exec(String(headers['authorization'] ?? ''))?.[1];
    return token === undefined ? {outcome: 'anonymous'} : {outcome: 'user', user: {name: token, groups: []}};
  },
};
/** `ann` may do everything, `pat` all in project p, `proxy` act as jane, jane what pat may; `reader` reads. */
const authorizer: Authorizer = {
  authorize: ({user, verb, name, namespace}) => {
    if (verb.startsWith('impersonate')) return {allowed: user.name === 'proxy' && name === 'jane'};
    if (user.name === 'reader') return {allowed: ['get', 'list'].includes(verb)};
    return {allowed: user.name === 'ann' || (['pat', 'jane'].includes(user.name) && namespace === 'p')};
  },
};

let server: TestServer;
let records: MemoryRecordStore;
const time = new ManualTime(START_MS);
const lines: {readonly fields: Json; readonly text: string}[] = [];
const as = (token: string, headers: Record<string, string> = {}): RestClient =>
  new RestClient(server.url, {authorization: `Bearer ${token}`, ...headers});

type Threat = {readonly at: number; readonly severity: Severity; readonly sid?: number};
const recordOf = (endpoint: string, {at, severity, sid = 1}: Threat, times = 1) =>
  threatRecord({
    threat_id: `1:${sid}`,
    name: 'threat',
    alert_severity: severity,
    alert_time: new Date(START_MS + at).toISOString().replace('.000Z', 'Z'),
    source_port: '40000',
    repeat_count: String(times),
    endpoint,
  });
const commit = (endpoint: string, threats: readonly Threat[], times = 1): Promise<void> =>
  records.commit({
    endpoint,
    checkpoint: {device: 'd', inode: 'i', offset: 1},
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats: threats.map((threat, i) => ({id: `0f0f0f0f-${i}`, record: recordOf(endpoint, threat, times)})),
    traffic: [],
  });
const idOf = (endpoint: string, threat: Threat, i: number): string =>
  recordIdOf(`0f0f0f0f-${i}`, recordOf(endpoint, threat));

const THREATS: readonly Threat[] = [
  {at: 0, severity: 'CRITICAL'},
  {at: 1000, severity: 'HIGH'},
  {at: 2000, severity: 'LOW'},
  {at: 3000, severity: 'LOW', sid: 2},
];
const [critical = '', high = '', low = ''] = THREATS.map((threat, i) => idOf(GUARD, threat, i));

beforeAll(async () => {
  records = new MemoryRecordStore();
  server = await startTestServer({
    store: await openMemoryStore(),
    records,
    sensorHost: new FakeSensorHost(),
    clock: time,
    timers: time,
    authenticator,
    authorizer,
    log: {...silentLog, info: (fields, text) => void lines.push({fields, text})},
  });
  await as('ann').created(P, 'guard');
});
afterAll(() => server.close());
beforeEach(async () => {
  for (const endpoint of [GUARD, EDGE, OTHER]) records.drop(endpoint, 'expired', () => true);
  await commit(GUARD, THREATS);
  lines.length = 0;
});

const decide = (client: RestClient, endpoint: string, id: string, action: string, body: Json = {}) =>
  client.post(`${endpoint}/threats/${id}:${action}`, {}, body);
const found = async (filter: string, endpoint = GUARD): Promise<string[]> => {
  const {body, status} = await as('ann').get(`${endpoint}/threats`, {filter});
  expect(status).toBe(200);
  return (body.threats ?? []).map(({id}: {id: string}) => id);
};

describe('44-4 a decision about one threat', () => {
  test('44-4 an endpoint may be called threats', async () => {
    const endpoint = `${P}/endpoints/threats`;
    await commit(endpoint, THREATS);
    const id = idOf(endpoint, {at: 1000, severity: 'HIGH'}, 1);
    expect((await decide(as('ann'), endpoint, id, 'acknowledge')).body).toMatchObject({
      id,
      endpoint,
      acknowledged: true,
    });
    expect((await as('ann').get(`${endpoint}/threats/${id}`)).body).toMatchObject({id, endpoint, acknowledged: true});
    records.drop(endpoint, 'expired', () => true);
  });

  test('44-4 answers the record with who decided and when, and is a field of lists, exports and filters', async () => {
    const acknowledged = await decide(as('ann'), GUARD, high, 'acknowledge', {comment: 'our own scanner'});
    expect(acknowledged.status).toBe(200);
    const now = {user: 'ann', time: START};
    expect(acknowledged.body).toMatchObject({
      id: high,
      acknowledged: true,
      acknowledged_by: 'ann',
      acknowledge_time: START,
      comments: [{...now, text: 'our own scanner'}],
    });
    expect((await decide(as('pat'), GUARD, critical, 'escalate')).body).toMatchObject({
      escalated: true,
      escalated_by: 'pat',
      escalate_time: START,
    });
    expect((await decide(as('ann'), GUARD, critical, 'comment', {comment: 'call\nthe owner'})).status).toBe(200);
    expect(await found('acknowledged=false AND alert_severity>=HIGH')).toEqual([critical]);
    expect(await found('acknowledged_by=ann AND acknowledge_time>="2026-01-01T00:00:00Z"')).toEqual([high]);
    expect(await found('escalated=true AND escalated_by=pat')).toEqual([critical]);
    expect(await found('comments:"our own scanner"')).toEqual([high]);
    expect(await found('scanner')).toEqual([high]);
    expect(await found('escalated=false AND acknowledged=false AND alert_severity=LOW')).toHaveLength(2);
    const csv = (await as('ann').get(`${GUARD}/threats`, {format: 'csv', filter: 'acknowledged=true'})).text;
    expect(csv.split('\r\n')[1]).toContain('true,ann,,2026-01-01T00:00:00Z');
    const entries = (await as('ann').get(`${GUARD}/threats`, {format: 'logentry', filter: 'acknowledged=true'})).body;
    expect(Object.keys(entries.entries[0].jsonPayload).filter(name => /acknowl|escal|comment/.test(name))).toEqual([]);
  });

  test('44-4 is taken back by its opposite; the same again changes nothing and keeps the first user', async () => {
    await decide(as('ann'), GUARD, low, 'acknowledge');
    expect((await decide(as('pat'), GUARD, low, 'acknowledge')).body.acknowledged_by).toBe('ann');
    expect((await decide(as('pat'), GUARD, low, 'unacknowledge')).body.acknowledged).toBeUndefined();
    await decide(as('ann'), GUARD, low, 'escalate');
    expect((await decide(as('ann'), GUARD, low, 'deescalate')).body.escalated).toBeUndefined();
    expect(await found('acknowledged=true OR escalated=true')).toEqual([]);
  });

  test('44-4 keeps the user that is acted as and the one that impersonates, in the record and in the log', async () => {
    const jane = as('proxy', {'impersonate-user': 'jane'});
    const {body} = await decide(jane, GUARD, low, 'acknowledge', {comment: 'seen'});
    expect(body).toMatchObject({
      acknowledged_by: 'jane',
      acknowledge_requestor: 'proxy',
      comments: [{user: 'jane', requestor: 'proxy', text: 'seen'}],
    });
    expect(await found('acknowledge_requestor=proxy')).toEqual([low]);
    expect(lines).toEqual([
      {
        text: 'ids: threat decision stored',
        fields: {
          ...{user: 'jane', requestor: 'proxy', action: 'acknowledge', endpoint: GUARD, threat: low},
          ...{hasComment: true, matched: 1, changed: 1},
        },
      },
    ]);
  });

  test('44-4 finds its threat without the name of the endpoint', async () => {
    await commit(EDGE, [{at: 9000, severity: 'LOW'}]);
    const id = idOf(EDGE, {at: 9000, severity: 'LOW'}, 0);
    expect((await decide(as('ann'), 'projects/-/locations/-/endpoints/-', id, 'acknowledge')).body.endpoint).toBe(EDGE);
    await commit(OTHER, [{at: 9000, severity: 'LOW'}]);
    expect((await decide(as('pat'), 'projects/p/locations/-/endpoints/-', id, 'escalate')).status).toBe(200);
    const several = await decide(as('ann'), 'projects/-/locations/-/endpoints/-', id, 'escalate');
    expect(several.body.error).toMatchObject({status: 'INVALID_ARGUMENT'});
    expect(several.body.error.message).toContain(`several endpoints have a threat ${id}; name one of `);
  });

  test('44-4 stays when the alert repeats, and followers with updates see it', async () => {
    const controller = new AbortController();
    const response = await fetch(`${server.url}/v1/${GUARD}/threats?follow=1&updates=1&cursors=1`, {
      headers: {authorization: 'Bearer ann'},
      signal: controller.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    const until = async (holds: () => boolean): Promise<void> => {
      while (!holds()) text += (await reader.read()).value ?? '';
    };
    await until(() => text.includes('cursor'));
    await decide(as('ann'), GUARD, high, 'acknowledge');
    await until(() => text.includes('"acknowledged":true'));
    await commit(GUARD, THREATS, 7);
    await until(() => text.includes('"repeat_count":"7"'));
    controller.abort();
    expect(await found('acknowledged=true AND repeat_count=7')).toEqual([high]);
  });
});

describe('44-4 who may decide, and what is refused', () => {
  test('44-4 a reader gets 403, whether the threat is there or not, also for a body with faults', async () => {
    for (const [endpoint, id] of [
      [GUARD, high],
      [GUARD, 'none'],
      [`${P}/endpoints/none`, high],
    ] as const) {
      const {status, body} = await decide(as('reader'), endpoint, id, 'acknowledge', {nonsense: 1});
      expect([status, body.error.status]).toEqual([403, 'PERMISSION_DENIED']);
      expect(body.error.message).toContain("'ids.threats.update'");
    }
    expect((await as('reader').post(`${GUARD}/threats:batchAcknowledge`, {}, {filter: '*'})).status).toBe(403);
    expect((await as('reader').get(`${GUARD}/threats`)).status).toBe(200);
    expect(await found('acknowledged=true')).toEqual([]);
    expect(lines).toEqual([]);
  });

  test('44-4 a right in one project does not count in another, nor in all', async () => {
    expect((await decide(as('pat'), OTHER, high, 'acknowledge')).status).toBe(403);
    const all = 'projects/-/locations/-/endpoints/-';
    expect((await decide(as('pat'), all, high, 'acknowledge')).status).toBe(403);
    expect((await as('pat').post(`${all}/threats:batchAcknowledge`, {}, {filter: '*'})).status).toBe(403);
    expect((await as('pat').post(`${P}/endpoints/-/threats:batchAcknowledge`, {}, {filter: '*'})).status).toBe(200);
  });

  test('44-4 an unknown threat is NOT_FOUND in words', async () => {
    for (const id of ['none', high.replace(/.$/, 'f')]) {
      const {status, body} = await decide(as('ann'), GUARD, id, 'escalate');
      expect([status, body.error.message]).toEqual([
        404,
        `Resource '${GUARD}/threats/${id}' was not found: the id is wrong, or the record was dropped by retention`,
      ]);
    }
    expect((await decide(as('ann'), GUARD, high, 'nothing')).status).toBe(404);
    expect((await as('ann').get(`${GUARD}/threats/${high}:acknowledge`)).status).toBe(404);
  });

  test.each([
    ['a comment is required', 'comment', {}, ['comment: is required: what there is to say about the threat']],
    ['of some text', 'acknowledge', {comment: ' \n'}, ['comment: must not be empty']],
    [
      'and all faults are named at once',
      'escalate',
      {comment: 7, reason: 'x'},
      ['reason: Unknown name "reason": Cannot find field.', 'comment: must be a string'],
    ],
    [
      'of a length',
      'comment',
      {comment: 'é'.repeat(COMMENT_CHARS_MAX + 1)},
      ['comment: has 4001 characters; at most 4000 are kept'],
    ],
    [
      'without control characters',
      'comment',
      {comment: 'a\u001b[2J'},
      ['comment: has the control character U+001B; remove it'],
    ],
    ...[
      ['9B', '\u009b31m'],
      ['0D', 'noise\rHIGH'],
      ['7F', '\u007f'],
    ].map(([code, comment]): [string, string, Json, string[]] => [
      `without U+00${code}`,
      'comment',
      {comment},
      [`comment: has the control character U+00${code}; remove it`],
    ]),
    ...['2028', '2029', '202E', '2066'].map((code): [string, string, Json, string[]] => [
      `without U+${code}`,
      'comment',
      {comment: `a\tb\n${String.fromCharCode(Number.parseInt(code, 16))}`},
      [`comment: has the control character U+${code}; remove it`],
    ]),
    [
      'of Unicode',
      'comment',
      '{"comment":"\\ud800"}',
      ['comment: is not valid Unicode: it has half of a surrogate pair'],
    ],
    ['an object', 'acknowledge', '[]', ['body: must be a JSON object']],
  ])('44-4 %s', async (_, action, body, faults) => {
    const answer = await decide(as('ann'), GUARD, high, action, body);
    expect([answer.status, answer.body.error.message]).toEqual([400, faults.join('; ')]);
    const [detail] = answer.body.error.details;
    expect(detail['@type']).toBe('type.googleapis.com/google.rpc.BadRequest');
    expect(detail.fieldViolations).toHaveLength(faults.length);
  });

  test('44-4 a comment of the longest length is kept, and the last decision that there is room for is the last', async () => {
    const longest = '€'.repeat(COMMENT_CHARS_MAX);
    expect((await decide(as('ann'), GUARD, low, 'comment', {comment: longest})).body.comments[0].text).toBe(longest);
    for (let i = 1; i < TRIAGE_EVENTS_MAX; i++)
      await records.triage({endpoint: GUARD, id: low}, {action: 'comment', user: 'u', timeMs: 0, text: 'x'});
    const {status, body} = await decide(as('ann'), GUARD, low, 'acknowledge');
    expect([status, body.error.status]).toEqual([400, 'FAILED_PRECONDITION']);
    expect(body.error.message).toContain('cannot have more than 200');
  });
});

describe('44-4 batchAcknowledge', () => {
  const batch = (body: Json, endpoint = GUARD, client = as('ann')) =>
    client.post(`${endpoint}/threats:batchAcknowledge`, {}, body);

  test('44-4 acknowledges what matches and is not acknowledged; the comment goes to these alone', async () => {
    await decide(as('pat'), GUARD, low, 'acknowledge');
    const dry = await batch({filter: 'alert_severity<=LOW', validateOnly: true});
    expect(dry.body).toEqual({matched: 2, changed: 1});
    expect(await found('acknowledged=true')).toEqual([low]);
    lines.length = 0;
    expect((await batch({filter: 'alert_severity<=LOW', comment: 'noise'})).body).toEqual({matched: 2, changed: 1});
    expect(await found('acknowledged=true AND comments:noise AND threat_id="1:2"')).toHaveLength(1);
    expect(await found('acknowledged=true AND acknowledged_by=pat AND comments:noise')).toEqual([]);
    expect(lines.map(({fields}) => fields)).toEqual([
      {
        ...{user: 'ann', action: 'acknowledge', endpoint: GUARD, filter: 'alert_severity<=LOW'},
        ...{hasComment: true, matched: 2, changed: 1},
      },
    ]);
    expect((await batch({filter: 'alert_severity<=LOW'})).body).toEqual({matched: 2, changed: 0});
  });

  test('44-4 an OR in the filter does not reach beyond it, times limit it, * stands for all', async () => {
    expect((await batch({filter: 'threat_id="1:2" OR alert_severity=HIGH'})).body).toEqual({matched: 2, changed: 2});
    const limited = {filter: '*', since: '2026-01-01T00:00:02Z', until: '2026-01-01T00:00:03Z'};
    expect((await batch(limited)).body).toEqual({matched: 1, changed: 1});
    expect(await found('acknowledged=false')).toEqual([critical]);
    await commit(EDGE, [{at: 0, severity: 'LOW'}]);
    expect((await batch({filter: '*'}, `${P}/endpoints/-`)).body).toEqual({matched: 5, changed: 2});
    expect(await found('acknowledged=false', `${P}/endpoints/-`)).toEqual([]);
  });

  test.each([
    [
      'nobody acknowledges all by mistake',
      {},
      'filter: is required: which records to acknowledge, such as alert_severity<=LOW; "*" stands for all',
    ],
    ['an empty filter is none', {filter: ''}, 'filter: is required'],
    ['a blank one is none', {filter: ' '}, 'filter: must not be blank; "*" stands for all records'],
    [
      'all faults at once',
      {filter: 'nothing=1', since: 'yesterday', comment: '', validateOnly: 'yes', last: 1},
      /last: Unknown.*filter: .*nothing.*since: "yesterday" is not an RFC 3339.*comment: must not be empty; validateOnly: must be true or false/,
    ],
    [
      'times in their order',
      {filter: '*', since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z'},
      'until: "2026-01-01T00:00:00Z" is not after since',
    ],
  ])('44-4 refuses a body with faults: %s', async (_, body, message) => {
    const answer = await batch(body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
    expect(await found('acknowledged=true')).toEqual([]);
  });

  test.each([
    ['200 terms', Array(FILTER_TERMS_MAX).fill('name=x').join(' OR ')],
    ['8,190 characters', `name=${'x'.repeat(FILTER_LENGTH_MAX - 7)}`],
  ])('44-4 a filter of %s has no room for the term that is added to it, and the fault says so', async (_, filter) => {
    expect(() => parseFilter(filter)).not.toThrow();
    const {status, body} = await batch({filter});
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/^filter: with the term acknowledged=false, which is added to it: .+; shorten it$/),
    ]);
  });

  test('44-4 of more than TRIAGE_BATCH_MAX none is changed, and the number is named', async () => {
    const {aggregate} = records;
    records.aggregate = async () => ({total: {records: TRIAGE_BATCH_MAX + 1, alerts: 0}});
    try {
      const {status, body} = await batch({filter: '*'});
      expect([status, body.error.message]).toEqual([
        400,
        'filter: matches 100001 records that are not acknowledged; at most 100000 are acknowledged at once: narrow it with since and until',
      ]);
    } finally {
      records.aggregate = aggregate;
    }
    expect(await found('acknowledged=true')).toEqual([]);
  });

  test('44-4 an endpoint that is not there and has left no records is NOT_FOUND', async () => {
    expect((await batch({filter: '*'}, `${P}/endpoints/none`)).status).toBe(404);
  });
});
