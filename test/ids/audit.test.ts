// SPDX-License-Identifier: Apache-2.0
/** Who looked at evidence and packets of a threat, and who was refused, is in the audit log; what they saw is not. */
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {AuditEvent} from '../../packages/apiserver/src/http/audit/event.ts';
import {recordingAuditor} from '../../packages/apiserver/src/testing/index.ts';
import {FakeSensorHost} from '../../packages/ids/src/testing/fake-sensor-host.ts';
import {MemoryRecordStore} from '../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {hasSecretBodies} from '../../packages/server/src/audit/secret-bodies.ts';
import {openMemoryStore} from '../../packages/store/src/drivers/memory/index.ts';
import {RestClient} from './rest-client.ts';
import {startTestServer, type TestServer} from './test-server.ts';

const GUARD = 'projects/p/locations/local/endpoints/guard';
const TIME = '2026-01-01T00:00:00Z';
const PAYLOAD = Buffer.from('GET /?q=a-payload-to-keep HTTP/1.1\r\n\r\n').toString('base64');
const records = new MemoryRecordStore();
const auditor = recordingAuditor(
  {rules: [{level: 'None', users: ['lister']}, {level: 'RequestResponse'}]},
  hasSecretBodies,
);
let server: TestServer;
let id = '';

beforeAll(async () => {
  await records.commit({
    endpoint: GUARD,
    checkpoint: undefined,
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats: [
      {
        id: 'aaaa-0',
        record: threatRecord({
          ...{threat_id: '1:7', name: 'SQL injection', alert_severity: 'HIGH', alert_time: TIME},
          ...{source_port: '40000', endpoint: GUARD},
        }),
        evidence: JSON.stringify({timestamp: TIME, event_type: 'alert', payload: PAYLOAD, stream: 1}),
      },
    ],
    traffic: [],
  });
  server = await startTestServer({
    ...{store: await openMemoryStore(), sensorHost: new FakeSensorHost(), records, auditor},
    authenticator: {
      authenticate: ({headers}) => ({outcome: 'user', user: {name: String(headers['authorization']), groups: []}}),
    },
    authorizer: {
      authorize: ({user, subresource, resource}) => ({
        allowed: user.name === 'anna' || (subresource !== 'evidence' && resource !== 'rules'),
      }),
    },
  });
  id = (await client('anna').get(`${GUARD}/threats`)).body.threats[0].id;
});
afterAll(() => server.close());

const client = (user: string) => new RestClient(server.url, {authorization: user});
const eventsOf = async (user: string, path: string): Promise<readonly [number, AuditEvent[]]> => {
  auditor.events.length = 0;
  const {status} = await client(user).get(path);
  await expect.poll(() => auditor.events.map(({stage}) => stage)).toContain('ResponseComplete');
  return [status, [...auditor.events]];
};

test('47-5 a read of evidence or packets is one, at level Metadata, whatever the policy says', async () => {
  for (const [path, permissions] of [
    [`${GUARD}/threats/${id}`, 'ids.threats.list,ids.threats.getEvidence'],
    [`${GUARD}/threats/${id}/pcap`, 'ids.threats.getEvidence,ids.threats.list'],
  ] as const) {
    const [status, events] = await eventsOf('anna', path);
    expect([path, status]).toEqual([path, 200]);
    expect(events.at(-1)).toMatchObject({
      level: 'Metadata',
      objectRef: {resource: 'endpoints', subresource: 'evidence', namespace: 'p', name: 'guard'},
      annotations: {
        'palisade.io/permission': permissions,
        'palisade.io/audit-level-lowered': expect.stringContaining('from RequestResponse'),
      },
    });
    const text = JSON.stringify(events);
    expect(text).not.toContain('responseObject');
    expect(text).not.toContain(PAYLOAD);
    expect(text).not.toContain('a-payload-to-keep');
  }
});

test('47-5 evidence that is withheld is a refusal, also of a user whom the policy leaves out', async () => {
  const [answered, shown] = await eventsOf('lister', `${GUARD}/threats/${id}`);
  expect(answered).toBe(200);
  expect(shown).toMatchObject([
    {objectRef: {subresource: 'evidence'}, annotations: {'authorization.k8s.io/decision': 'forbid'}},
  ]);
  const [refused, events] = await eventsOf('lister', `${GUARD}/threats/${id}/pcap`);
  expect(refused).toBe(403);
  expect(events).toMatchObject([{responseStatus: {code: 403, reason: 'PERMISSION_DENIED'}}]);
});

test('47-5 a request of the IDS API is in its event as it was decoded, with the name of what it creates', async () => {
  const create = async (id: string, body: object): Promise<AuditEvent | undefined> => {
    auditor.events.length = 0;
    await client('anna').post('projects/p/locations/local/endpoints', {endpointId: id}, body);
    await expect.poll(() => auditor.events.map(({stage}) => stage)).toContain('ResponseComplete');
    return auditor.events.at(-1);
  };
  const network = 'projects/p/global/networks/default';
  const good = await create('made', {network, severity: 'LOW'});
  expect(good).toMatchObject({verb: 'create', requestObject: {network}});
  expect(good?.objectRef).toMatchObject({resource: 'endpoints', namespace: 'p', name: 'made'});
  const secret = {kind: 'Secret', stringData: {password: 'zq-hidden-qz'}, 'zq-hidden-qz': 1};
  const refused = await create('refused', secret);
  expect(refused).toMatchObject({objectRef: {name: 'refused'}, responseStatus: {code: 400}});
  expect(JSON.stringify(refused)).not.toContain('zq-hidden-qz');
});

test('49-3 a switch of rules that is refused is in its event as it was asked for', async () => {
  const turn = async (user: string, body: object): Promise<AuditEvent | undefined> => {
    auditor.events.length = 0;
    await client(user).post('projects/-/locations/-/ruleSets/default/rules:switch', {}, body);
    await expect.poll(() => auditor.events.map(({stage}) => stage)).toContain('ResponseComplete');
    return auditor.events.at(-1);
  };
  const asked = {disable: ['1:2034647']};
  expect(await turn('eve', asked)).toMatchObject({responseStatus: {code: 403}, requestObject: asked});
  const absent = await turn('anna', asked);
  expect(absent).toMatchObject({responseStatus: {code: 404}, requestObject: asked});
  const other = await turn('eve', {...asked, password: 'zq-hidden-qz'});
  expect(other).toMatchObject({responseStatus: {code: 403}});
  expect(JSON.stringify(other)).not.toContain('zq-hidden-qz');
});
