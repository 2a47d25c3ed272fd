// SPDX-License-Identifier: Apache-2.0
/** Whatever is sent, the answer is well-formed and never our fault. Ref: requirements I-096. */
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {RPC_CODES} from '../../packages/ids-wire/src/rpc-status.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {type Json, RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

let server: TestServer;
let rest: RestClient;
beforeAll(async () => {
  server = await startTestServer({store: await openMemoryStore(), sensorHost: new FakeSensorHost()});
  rest = new RestClient(server.url);
  await rest.created('projects/p/locations/local', 'e');
});
afterAll(() => server.close());

test.each(['/v1', '/v1?x=1', '/compute/v1'])('%s, the root alone, is not found', async path => {
  const answer = await fetch(server.url + path);
  expect([answer.status, ((await answer.json()) as Json).error.status]).toEqual([404, 'NOT_FOUND']);
});

const word = fc.constantFrom(
  'p',
  'local',
  'e',
  '-',
  'nowhere',
  'x'.repeat(300),
  'é',
  '..%2f',
  '%00',
  'a b',
  'constructor',
);
const segment = fc.oneof(
  fc.constantFrom('projects', 'locations', 'endpoints', 'operations', 'threats', 'traffic', 'health'),
  word,
);
const path = fc.oneof(
  fc.array(segment, {maxLength: 9}).map(parts => parts.join('/')),
  fc.tuple(word, word, word).map(([p, l, e]) => `projects/${p}/locations/${l}/endpoints/${e}`),
  fc
    .tuple(word, word, fc.constantFrom('endpoints', 'operations'))
    .map(([p, l, c]) => `projects/${p}/locations/${l}/${c}`),
  fc.tuple(word, word, word).map(([p, l, o]) => `projects/${p}/locations/${l}/operations/${o}:cancel`),
  fc
    .tuple(word, fc.constantFrom('threats', 'traffic', 'health'))
    .map(([e, kind]) => `projects/p/locations/local/endpoints/${e}/${kind}`),
);
const text = fc.oneof(
  fc.string(),
  fc.string({unit: 'grapheme'}),
  fc.constantFrom(
    'severity=LOW AND',
    '((((',
    '"',
    '*',
    'name desc',
    '1',
    '-1',
    'true',
    '9'.repeat(40),
    '2026-01-01T00:00:00Z',
  ),
);
const parameter = fc.constantFrom(
  ...[
    'endpointId',
    'requestId',
    'updateMask',
    'pageSize',
    'pageToken',
    'filter',
    'orderBy',
    'fields',
    '$alt',
    'alt',
    'since',
    'format',
  ],
  ...['endpoint_id', 'prettyPrint', 'callback', 'cursor', 'until', 'unknown', '__proto__'],
);
const field = fc.constantFrom(
  'network',
  'severity',
  'labels',
  'threatExceptions',
  'trafficLogs',
  'description',
  'name',
  'x',
  '__proto__',
);
const body = fc.oneof(
  fc.jsonValue().map(value => JSON.stringify(value)),
  fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constantFrom('LOW', 'net', 4))).map(value => JSON.stringify(value)),
  fc.string(),
);

test('I-096 any request gets an answer with a known status, and an error says all that it must', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PATCH', 'DELETE', 'PUT'),
      path,
      fc.dictionary(parameter, text, {maxKeys: 4}),
      body,
      async (method, at, query, content) => {
        const answer = await rest.call(
          method,
          at,
          query,
          method === 'GET' || method === 'DELETE' ? undefined : content,
        );
        expect(answer.status, answer.text).toBeLessThan(500);
        if (answer.status === 200) return;
        const {error} = answer.body;
        expect(error.code).toBe(answer.status);
        expect(RPC_CODES[error.status as keyof typeof RPC_CODES]?.[1]).toBe(answer.status);
        expect(error.message).not.toBe('');
        for (const detail of error.details ?? [])
          expect(detail['@type']).toMatch(/^type\.googleapis\.com\/google\.rpc\./);
      },
    ),
    {numRuns: 600},
  );
});
