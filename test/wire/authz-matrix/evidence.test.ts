// SPDX-License-Identifier: Apache-2.0
/** Packets and payloads of a threat that is stored: which of the default roles reads them, and by which route. */
import {parseTokenFile, tokenAuthenticator, tokenTableSource} from '@palisade/apiserver';
import {createRbacAuthorizer, kubeModule} from '@palisade/kinds';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {FakeSensorHost} from '../../../packages/ids/src/testing/fake-sensor-host.ts';
import {MemoryRecordStore} from '../../../packages/ids/src/testing/memory-record-store.ts';
import {threatRecord} from '../../../packages/ids/src/testing/threat-record.ts';
import {openMemoryStore} from '../../../packages/store/src/drivers/memory/index.ts';
import {startTestServer, type TestServer} from '../../ids/test-server.ts';
import {serveKubeApi, type TestKubeApi} from '../serve.ts';
import {readTable} from './table.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/guard';
const PAYLOAD = 'password=hunter2-and-more';
const SECRETS = [PAYLOAD, Buffer.from(PAYLOAD).toString('base64'), 'secret-host.example'];
const EVENT = {
  event_type: 'alert',
  payload: Buffer.from(PAYLOAD).toString('base64'),
  payload_printable: PAYLOAD,
  tls: {sni: 'secret-host.example'},
};
const THREAT = {
  ...{endpoint: ENDPOINT, threat_id: '1:7', name: 'SQL injection', alert_severity: 'HIGH' as const},
  ...{alert_time: '2026-01-01T00:00:00Z', source_port: '40000'},
};
const ROLES = ['ids-viewer', 'ids-analyst', 'ids-editor'];
const TOKENS = [...ROLES.map(role => `${role}-token,${role},${role}-uid`), 'masters-token,masters,m,system:masters'];

let kube: TestKubeApi;
let ids: TestServer;
/** Of the stored threat. */
let id = '';

beforeAll(async () => {
  const authenticator = tokenAuthenticator([tokenTableSource(parseTokenFile(`${TOKENS.join('\n')}\n`))]);
  const authorizer = createRbacAuthorizer();
  kube = await serveKubeApi({
    ...{store: await openMemoryStore(), kinds: kubeModule.kinds, bootstraps: kubeModule.bootstraps, compat: 'spec'},
    ...{authenticator, authorizer, controllers: [...kubeModule.controllers, authorizer.controller]},
  });
  for (const role of ROLES) await bind(role);
  const records = new MemoryRecordStore();
  await records.commit({
    endpoint: ENDPOINT,
    checkpoint: undefined,
    counters: {seen: 1, stored: 1, filtered: 0, excepted: 0, lost: 0},
    threats: [{id: 'aaaa-1', record: threatRecord(THREAT), evidence: JSON.stringify(EVENT)}],
    traffic: [],
  });
  const store = await openMemoryStore();
  ids = await startTestServer({store, records, sensorHost: new FakeSensorHost(), authenticator, authorizer});
  const list = (await (await send('masters', `/v1/${ENDPOINT}/threats`)).json()) as {threats: [{id: string}]};
  id = list.threats[0].id;
});
afterAll(async () => {
  await ids.close();
  await kube[Symbol.asyncDispose]();
});

const bind = async (role: string): Promise<void> => {
  const apiGroup = 'rbac.authorization.k8s.io';
  const {status} = await fetch(`${kube.url}/apis/${apiGroup}/v1/clusterrolebindings`, {
    method: 'POST',
    headers: {authorization: 'Bearer masters-token', 'content-type': 'application/json'},
    body: JSON.stringify({
      metadata: {name: role},
      subjects: [{apiGroup, kind: 'User', name: role}],
      roleRef: {apiGroup, kind: 'ClusterRole', name: role},
    }),
  });
  expect(status).toBe(201);
};

const send = (role: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(ids.url + path, {...init, headers: {authorization: `Bearer ${role}-token`}});
const textOf = async (role: string, path: string): Promise<string> => (await send(role, path)).text();

/** The routes of the table that read, for the endpoint and the threat that are there. */
const reads = (): readonly string[] =>
  readTable('ids-rest.txt', 3).flatMap(({words: [method, path = '']}) =>
    method === 'GET' && !path.includes('follow')
      ? [path.replace('threats/absent', `threats/${id}`).replace('absent', 'guard').replaceAll('{ns}', 'p')]
      : [],
  );
const LISTS = ['json', 'logentry', 'ndjson', 'csv'].map(format => `/v1/${ENDPOINT}/threats?format=${format}`);
const FOLLOW = `/v1/${ENDPOINT}/threats?follow=true&since=2000-01-01T00:00:00Z`;

/** What a stream sends first: the stored record. */
const firstOf = async (role: string, path: string): Promise<string> => {
  const ends = new AbortController();
  const {body} = await send(role, path, {signal: ends.signal});
  const {value} = (await body?.getReader().read()) ?? {};
  ends.abort();
  return Buffer.from(value ?? []).toString();
};

test('no route shows ids-viewer a packet or a payload; lists and streams show nobody one', async () => {
  expect(reads().length).toBeGreaterThan(20);
  for (const path of [...reads(), ...LISTS]) {
    const text = await textOf('ids-viewer', path);
    for (const secret of SECRETS) expect([path, text.includes(secret)]).toEqual([path, false]);
  }
  for (const role of ROLES) {
    const sent = [...(await Promise.all(LISTS.map(path => textOf(role, path)))), await firstOf(role, FOLLOW)];
    for (const text of sent) {
      expect(text).toContain('1:7');
      for (const secret of SECRETS) expect(text).not.toContain(secret);
    }
  }
});

test.each(['ids-analyst', 'ids-editor'])('%s reads the evidence of a threat and its packets', async role => {
  const threat = await textOf(role, `/v1/${ENDPOINT}/threats/${id}`);
  for (const secret of SECRETS) expect(threat).toContain(secret);
  const pcap = await send(role, `/v1/${ENDPOINT}/threats/${id}/pcap`);
  expect(pcap.status).toBe(200);
  expect(Buffer.from(await pcap.arrayBuffer()).includes(PAYLOAD)).toBe(true);
});

test('packets without the right to evidence are 403, whether the threat exists or not', async () => {
  for (const each of [id, `${id.slice(0, -1)}f`, 'nonsense']) {
    const {status} = await send('ids-viewer', `/v1/${ENDPOINT}/threats/${each}/pcap`);
    expect([each, status]).toEqual([each, 403]);
  }
});
