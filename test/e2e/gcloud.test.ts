// SPDX-License-Identifier: Apache-2.0
/**
 * The real gcloud against a running server with real sensors. Each call starts a Python of its own (seconds), so there are few.
 * Skipped where gcloud or Suricata is absent. Ref: requirements I-109 to I-111.
 */
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {type Finished, type RunningServer, run, scratch} from '../support/palisade.ts';
import {startIds, whyNoSuricata} from './support/ids-server.ts';
import {skipped, which} from './support/toolchain.ts';

const gcloud = which('gcloud');
const absent = skipped('gcloud', gcloud === undefined ? 'gcloud is not on PATH' : whyNoSuricata());

const ZONE = 'us-central1-a';
const PARENT = `projects/p/locations/${ZONE}`;
const FLAGS = [`--zone=${ZONE}`, '--format=json', '--quiet'];
/** Several calls on a busy machine. */
const TIMEOUT_MS = 180_000;
/** Bound on an operation that was started without waiting. */
const OPERATION = {timeout: 60_000, interval: 200};

type Endpoint = {readonly name: string; readonly state: string; readonly threatExceptions?: readonly string[]};
type Operation = {
  readonly name: string;
  readonly done: boolean;
  readonly metadata: {readonly verb: string; readonly target: string};
};

describe.skipIf(absent !== undefined)('gcloud', () => {
  const folder = scratch();
  let server: RunningServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startIds(folder.dir, '127.92.0.0/16');
    const config = join(folder.dir, 'gcloud');
    mkdirSync(config);
    env = {
      CLOUDSDK_CONFIG: config,
      CLOUDSDK_API_ENDPOINT_OVERRIDES_IDS: `${server.ready.http}/`,
      CLOUDSDK_CORE_PROJECT: 'p',
      CLOUDSDK_AUTH_DISABLE_CREDENTIALS: 'true',
      CLOUDSDK_CORE_DISABLE_USAGE_REPORTING: 'true',
      CLOUDSDK_CORE_CHECK_GCE_METADATA: 'false',
      CLOUDSDK_SURVEY_DISABLE_PROMPTS: 'true',
      CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK: 'true',
    };
  });
  afterAll(async () => {
    await server.stop();
    folder[Symbol.dispose]();
  });

  const call = (...words: string[]): Promise<Finished> => run(words, {command: gcloud ?? '', env});
  /** The JSON of a call that has to succeed. */
  const json = async <T>(...words: string[]): Promise<T> => {
    const {code, stdout, stderr} = await call(...words);
    if (code !== 0) throw new Error(`gcloud ${words.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  const endpoints = <T>(verb: string, ...words: string[]) => json<T>('ids', 'endpoints', verb, ...words, ...FLAGS);
  const operations = <T>(verb: string, ...words: string[]) =>
    json<T>('alpha', 'ids', 'operations', verb, ...words, ...FLAGS);
  const idOf = (operation: Operation): string => operation.name.split('/').at(-1) ?? '';

  test(
    'I-002 I-005 I-027 I-109 I-111 create --no-async waits until the endpoint is READY; describe shows the same',
    async () => {
      const words = [
        '--network=my-net',
        '--severity=CRITICAL',
        '--threat-exceptions=1000,2000',
        '--enable-traffic-logs',
      ];
      const more = ['--description=two words', '--labels=env=prod,team=x', '--no-async'];
      const made = await endpoints<Endpoint>('create', 'first', ...words, ...more);
      expect(made).toMatchObject({
        name: `${PARENT}/endpoints/first`,
        state: 'READY',
        network: 'my-net',
        severity: 'CRITICAL',
        threatExceptions: ['1000', '2000'],
        trafficLogs: true,
        description: 'two words',
        labels: {env: 'prod', team: 'x'},
        endpointIp: expect.stringMatching(/^127\.92\./),
        endpointForwardingRule: expect.stringContaining('/forwardingRules/'),
      });
      expect(await endpoints('describe', 'first')).toEqual(made);
    },
    TIMEOUT_MS,
  );

  test(
    'I-109 I-110 I-111 create answers an operation, which operations wait, list, describe and cancel know',
    async () => {
      const started = await endpoints<Operation>('create', 'second', '--network=my-net', '--severity=LOW');
      expect(started).toMatchObject({done: false, metadata: {verb: 'create', target: `${PARENT}/endpoints/second`}});
      expect(await operations<Endpoint>('wait', idOf(started))).toMatchObject({name: started.metadata.target});
      const [listed, ...others] = await operations<Operation[]>(
        'list',
        `--filter=metadata.target=${started.metadata.target}`,
      );
      expect(others).toEqual([]);
      expect(listed).toMatchObject({name: started.name, done: true, response: {state: 'READY'}});
      expect(await operations('describe', idOf(started))).toEqual(listed);
      expect((await call('alpha', 'ids', 'operations', 'cancel', idOf(started), ...FLAGS)).code).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    'I-109 I-110 list over all locations: table, --page-size, --filter',
    async () => {
      const table = await call('ids', 'endpoints', 'list', '--page-size=1', '--sort-by=ID');
      // gcloud prints a heading per page; an unset traffic log is an empty cell.
      expect(table.stdout.split('\n').map(row => row.trimEnd().split(/\s+/))).toEqual([
        ['ID', 'LOCATION', 'SEVERITY', 'STATE', 'NETWORK', 'TRAFFIC_LOGS'],
        ['first', ZONE, 'CRITICAL', 'READY', 'my-net', 'True'],
        [''],
        ['ID', 'LOCATION', 'SEVERITY', 'STATE', 'NETWORK', 'TRAFFIC_LOGS'],
        ['second', ZONE, 'LOW', 'READY', 'my-net'],
        [''],
      ]);
      const low = await json<Endpoint[]>('ids', 'endpoints', 'list', '--filter=severity=LOW', '--format=json');
      expect(low.map(endpoint => endpoint.name)).toEqual([`${PARENT}/endpoints/second`]);
    },
    TIMEOUT_MS,
  );

  test(
    'I-109 I-110 update --threat-exceptions sets a list and clears it',
    async () => {
      const set = await endpoints<Endpoint>('update', 'first', '--threat-exceptions=1,2', '--no-async');
      expect(set).toMatchObject({state: 'READY', threatExceptions: ['1', '2']});
      const cleared = await endpoints<Endpoint>('update', 'first', '--threat-exceptions=', '--no-async');
      expect(cleared).toMatchObject({state: 'READY', severity: 'CRITICAL'});
      expect(cleared).not.toHaveProperty('threatExceptions');
    },
    TIMEOUT_MS,
  );

  test(
    'I-096 I-109 the server message is shown: a second create, a bad id',
    async () => {
      const [twice, bad] = await Promise.all([
        call('ids', 'endpoints', 'create', 'first', '--network=n', '--severity=LOW', ...FLAGS),
        call('ids', 'endpoints', 'create', 'Bad_', '--network=n', '--severity=LOW', ...FLAGS),
      ]);
      expect(twice).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${PARENT}/endpoints/first' already exists`),
      });
      expect(bad).toMatchObject({code: 1, stderr: expect.stringContaining('INVALID_ARGUMENT')});
    },
    TIMEOUT_MS,
  );

  test(
    'I-109 I-110 I-111 delete, waiting and not; then describe says NOT_FOUND',
    async () => {
      const started = await endpoints<Operation>('delete', 'second');
      expect(started.metadata).toMatchObject({verb: 'delete', target: `${PARENT}/endpoints/second`});
      const waited = await call('ids', 'endpoints', 'delete', 'first', '--no-async', ...FLAGS);
      expect(waited).toMatchObject({code: 0});
      const missing = await call('ids', 'endpoints', 'describe', 'first', ...FLAGS);
      expect(missing.stderr).toContain(`NOT_FOUND: Resource '${PARENT}/endpoints/first' was not found`);
      await expect
        .poll(async () => (await fetch(`${server.ready.http}/v1/${PARENT}/endpoints`)).json(), OPERATION)
        .toEqual({});
    },
    TIMEOUT_MS,
  );
});
