// SPDX-License-Identifier: Apache-2.0
/** Decisions about threats with the real server, the real command and roles: who may, and that a kill of the server takes nothing back. */
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {RECORD_BUDGETS_DEFAULT} from '../../packages/ids/src/limits.ts';
import {recordIdOf} from '../../packages/ids/src/records/record-id.ts';
import {openSqliteRecordStore} from '../../packages/ids/src/records/sqlite/record-store.ts';
import {threatRecord} from '../../packages/ids/src/testing/threat-record.ts';
import {run, scratch, serve} from '../support/palisade.ts';

const ENDPOINT = 'projects/p/locations/local/endpoints/gone';
const ignore = (): void => undefined;
const log = {debug: ignore, info: ignore, warn: ignore, error: ignore};

/** As a sensor of an earlier server left them. */
const putThreats = async (folder: string): Promise<readonly string[]> => {
  const store = openSqliteRecordStore({folder, budgets: RECORD_BUDGETS_DEFAULT, clock: {now: () => Date.now()}, log});
  const at = new Date(Math.floor(Date.now() / 1000) * 1000 - 60_000).toISOString().replace('.000Z', 'Z');
  const threats = (['HIGH', 'LOW', 'LOW'] as const).map((severity, i) => ({
    id: `0f0f0f0f-0000-${i}`,
    record: threatRecord({
      threat_id: `1:${i}`,
      name: `threat ${i}`,
      alert_severity: severity,
      alert_time: at,
      source_port: '40000',
      endpoint: ENDPOINT,
    }),
  }));
  await store.commit({
    endpoint: ENDPOINT,
    checkpoint: undefined,
    counters: {seen: 3, stored: 3, filtered: 0, excepted: 0, lost: 0},
    threats,
    traffic: [],
  });
  await store.close();
  return threats.map(({id, record}) => recordIdOf(id, record));
};

const bind = async (url: string, role: string, user: string): Promise<void> => {
  const response = await fetch(`${url}/apis/rbac.authorization.k8s.io/v1/clusterrolebindings`, {
    method: 'POST',
    headers: {authorization: 'Bearer admin-token', 'content-type': 'application/json'},
    body: JSON.stringify({
      metadata: {name: user},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role},
      subjects: [{kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user}],
    }),
  });
  expect(response.status).toBe(201);
};

test('44-4 decisions outlive a kill of the server; ids-viewer may not decide, ids-editor may', async () => {
  using folder = scratch();
  const data = join(folder.dir, 'data');
  mkdirSync(data, {mode: 0o700});
  const [high = '', low = ''] = await putThreats(join(data, 'records'));
  const tokens = join(folder.dir, 'tokens.csv');
  writeFileSync(tokens, 'admin-token,admin,1,"system:masters"\neditor-token,eve,2\nviewer-token,vic,3\n', {
    mode: 0o600,
  });
  const flags = ['--data', data, '--http', '127.0.0.1:0', '--token-auth-file', tokens, '--driver', 'relay'];
  const palisade = (url: string, token: string, ...words: readonly string[]) =>
    run(['threats', ...words, '--server', url, '--token', `${token}-token`]);

  const first = await serve(flags);
  const {http: url} = first.ready;
  await bind(url, 'ids-viewer', 'vic');
  await bind(url, 'ids-editor', 'eve');
  const refused = await palisade(url, 'viewer', 'ack', high);
  expect(refused).toMatchObject({code: 1, stdout: ''});
  expect(refused.stderr).toContain("Permission 'ids.threats.update' denied");
  expect(await palisade(url, 'editor', 'escalate', high, '--comment', 'ticket 4711')).toMatchObject({
    code: 0,
    stdout: `${high}  escalated  HIGH  threat 0\n`,
  });
  const batch = ['ack', '--filter', 'alert_severity=LOW', '--endpoint', ENDPOINT, '--yes', '--json'];
  expect((await palisade(url, 'editor', ...batch)).stdout).toBe('{"matched":2,"changed":2}\n');
  await first.stop('SIGKILL');
  const lines = first
    .stderr()
    .split('\n')
    .filter(line => line.includes('threat decision stored'));
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    {user: 'eve', action: 'escalate', endpoint: ENDPOINT, threat: high, changed: 1},
    {user: 'eve', action: 'acknowledge', endpoint: ENDPOINT, filter: 'alert_severity=LOW', changed: 2},
  ]);

  await using second = await serve(flags);
  const again = second.ready.http;
  const shown = async (filter: string) => {
    const {stdout} = await palisade(again, 'viewer', '--endpoint', ENDPOINT, '--json', '--filter', filter);
    return stdout.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
  };
  expect(await shown('escalated=true')).toMatchObject([
    {id: high, escalated_by: 'eve', comments: [{user: 'eve', text: 'ticket 4711'}]},
  ]);
  expect(await shown('acknowledged=true')).toMatchObject([{id: low, acknowledged_by: 'eve'}, {threat_id: '1:2'}]);
  expect((await palisade(again, 'editor', 'unack', low)).code).toBe(0);
  expect(await shown('acknowledged=false AND alert_severity>=HIGH')).toHaveLength(1);
  expect(await second.stop()).toBe(0);
});
