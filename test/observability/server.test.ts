// SPDX-License-Identifier: Apache-2.0
/** A real server shows what the reference lists and dashboards use; promtool, where it is built, finds no fault. Ref: issue 49, point 6. */
import {spawnSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {get, request} from 'node:https';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {parseAllDocuments} from 'yaml';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {type RunningServer, scratch, serve} from '../support/palisade.ts';
import {documentedMetrics} from './documented.ts';
import {FOLDER, RULE_TESTS, RULES, rules, usedMetrics, uses} from './files.ts';
import {readExpression} from './promql.ts';

const promtool = peerOrWhyNot('promtool');
const skipReason = promtool.whyNot === '' ? '' : ` (skipped: ${promtool.whyNot})`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const folder = scratch();
let server: RunningServer;
let text = '';

const TOKENS = 'admin-token,root,root-uid,"system:masters"\nscrape-token,prometheus,prometheus-uid\n';

/** Status and body; the certificate is that of a server of this test. */
const ask = (token: string, path: string, body?: object): Promise<{code: number; text: string}> =>
  new Promise((done, fail) => {
    const headers = {authorization: `Bearer ${token}`, 'content-type': 'application/json'};
    const options = {rejectUnauthorized: false, headers};
    const url = `${server.ready.https}${path}`;
    const sent = body === undefined ? get(url, options) : request(url, {...options, method: 'POST'});
    sent.once('error', fail).once('response', response => {
      let answer = '';
      response.setEncoding('utf8').on('data', chunk => {
        answer += chunk;
      });
      response.once('end', () => done({code: response.statusCode ?? 0, text: answer}));
    });
    if (body !== undefined) sent.end(JSON.stringify(body));
  });

beforeAll(async () => {
  writeFileSync(join(folder.dir, 'tokens.csv'), TOKENS, {mode: 0o600});
  const access = ['--https', '127.0.0.1:0', '--token-auth-file', join(folder.dir, 'tokens.csv')];
  const backups = ['--backup-dir', join(folder.dir, 'backups')];
  const flags = ['--data', join(folder.dir, 'data'), ...access, ...backups];
  server = await serve([...flags, '--metrics-node', '--log-level', 'warn']);
  for (const document of parseAllDocuments(readFileSync(join(FOLDER, 'scrape-role.yaml'), 'utf8'))) {
    const body = document.toJS() as {kind: string};
    const {code} = await ask('admin-token', `${RBAC}/${body.kind.toLowerCase()}s`, body);
    expect(code).toBe(201);
  }
  const shown = await ask('scrape-token', '/metrics');
  expect(shown.code).toBe(200);
  ({text} = shown);
});
afterAll(async () => {
  await server?.stop();
  folder[Symbol.dispose]();
});

const typesIn = (shown: string): ReadonlyMap<string, string> =>
  new Map([...shown.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));

test('49-6 the role of scrape-role.yaml reads /metrics and nothing else', async () => {
  const paths = ['/api/v1/namespaces', '/readyz/ping', '/openapi/v3', '/v1/projects/p/locations/local/endpoints'];
  const codes = await Promise.all(paths.map(async path => (await ask('scrape-token', path)).code));
  expect(codes).toEqual([403, 403, 200, 403]); // OpenAPI is for everybody who is logged in
});

test('49-6 a server shows all metrics of the reference, and all that rules and dashboards name', () => {
  const types = typesIn(text);
  // Only with an issuer, and of that a test has none here: test/e2e/oidc.test.ts.
  const listed = documentedMetrics().filter(({name}) => !name.startsWith('palisade_oidc'));
  expect(listed.filter(({name, type}) => types.get(name) !== type)).toEqual([]);
  const used = usedMetrics().map(name => name.replace(/_(bucket|sum|count)$/, ''));
  expect(used.filter(name => !types.has(name) && !name.startsWith('palisade_oidc'))).toEqual([]);
  expect(used.length).toBeGreaterThan(60);
});

/** Nothing is right for these: there is no IDS endpoint, no exporter, and no latency without requests. */
const WITHOUT_SERIES = /^palisade_(sensor|export)_|^apiserver_request_(sli_)?duration_seconds_bucket$/;

test('49-6 what a dashboard shows has a series on a fresh server, or is 0 there', () => {
  const series = new Set([...text.matchAll(/^(\w+)(?:\{.*\})? \S+$/gm)].map(([, name]) => name));
  const recorded = new Set(rules().flatMap(({record}) => record ?? []));
  const faults = uses()
    .filter(({at, expr}) => at.includes('.json') && !expr.includes('vector(0)'))
    .flatMap(({at, expr}) => readExpression(expr).metrics.map(({metric}) => ({at, metric})))
    .filter(({metric}) => metric !== 'up' && !WITHOUT_SERIES.test(metric) && !recorded.has(metric))
    .filter(({metric}) => !series.has(metric));
  expect(faults).toEqual([]);
});

test('49-6 requests have the labels of kube-apiserver; those that were refused are not among them', async () => {
  const lines = text
    .split('\n')
    .filter(line => line.startsWith('apiserver_request_total{') && line.includes('"clusterroles"'));
  expect(lines).toEqual([
    'apiserver_request_total{verb="POST",dry_run="",group="rbac.authorization.k8s.io",version="v1",resource="clusterroles",subresource="",scope="resource",component="apiserver",code="201"} 1',
  ]);
  await ask('scrape-token', '/api/v1/secrets');
  const after = (await ask('scrape-token', '/metrics')).text;
  expect(after).not.toMatch(/^apiserver_request_total\{.*"secrets"/m);
  expect(after).toMatch(/^authorization_attempts_total\{result="no-opinion"\} [1-9]/m);
});

test('without --metrics-node nothing of Node is shown; tested with the registry', async () => {
  const {createMetrics} = await import('../../packages/server/src/metrics/metrics.ts');
  let plain = '';
  await createMetrics().open({} as never, {setHeader: () => {}, end: (shown: string) => (plain = shown)} as never);
  const names = [...typesIn(plain).keys()];
  expect(names.filter(name => name.startsWith('nodejs_'))).toEqual([]);
  expect(names).toContain('process_cpu_seconds_total');
});

/** Upstream's names, which promtool would end in _total. */
const UPSTREAM_NAMES =
  /^(authentication_attempts|authenticated_user_requests) counter metrics should have "_total" suffix$/;

describe.skipIf(promtool.whyNot !== '')(`promtool${skipReason}`, () => {
  const run = (args: readonly string[], input = '') => {
    const {status, stdout, stderr} = spawnSync(promtool.path, [...args], {input, encoding: 'utf8', timeout: 60_000});
    return {status, stdout, stderr};
  };

  test('49-6 check rules and test rules', () => {
    expect(run(['check', 'rules', '--lint=all', '--lint-fatal', RULES])).toMatchObject({status: 0});
    expect(run(['test', 'rules', RULE_TESTS])).toMatchObject({status: 0, stderr: ''});
  });

  test('49-6 check config', () => {
    const config = readFileSync(join(FOLDER, 'prometheus.yaml'), 'utf8');
    const file = join(folder.dir, 'prometheus.yaml');
    writeFileSync(file, config.replaceAll('/etc/prometheus/', `${folder.dir}/`));
    writeFileSync(join(folder.dir, 'palisade.rules.yaml'), readFileSync(RULES));
    for (const name of ['palisade-token', 'palisade-ca.crt']) writeFileSync(join(folder.dir, name), '');
    writeFileSync(join(folder.dir, 'palisade-ca.crt'), readFileSync(join(folder.dir, 'data', 'pki', 'ca.crt')));
    expect(run(['check', 'config', file])).toMatchObject({status: 0});
  });

  test('49-6 check metrics', () => {
    const {stdout, stderr} = run(['check', 'metrics'], text);
    const lines = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !UPSTREAM_NAMES.test(line));
    expect(lines).toEqual([]);
  });
});
