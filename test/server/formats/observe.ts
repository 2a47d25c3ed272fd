// SPDX-License-Identifier: Apache-2.0
/**
 * What the programs of this version find in folders of a frozen format. The text is written beside a fixture once, by the version that made the
 * fixture; every later version must find exactly the same.
 */
import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {openSqliteStore} from '@palisade/store/sqlite';
import {RECORD_BUDGETS_DEFAULT} from '../../../packages/ids/src/limits.ts';
import {openSqliteRecordStore} from '../../../packages/ids/src/records/sqlite/record-store.ts';
import {IdsState} from '../../../packages/ids/src/state/ids-state.ts';
import {ManualTime} from '../../../packages/ids/src/testing/manual-time.ts';
import {run, serve} from '../../support/palisade.ts';

export const FIXTURES = new URL('../../fixtures/formats/', import.meta.url).pathname;
export const PASSPHRASE = 'fixture';
export const ENDPOINT = 'projects/fixture/locations/local/endpoints/guard';
export const READER = 'fixture-reader';
/** Records of a fixture are older than any usual age. */
export const AGES = ['--threats-age', '36500d', '--traffic-age', '36500d', '--evidence-age', '36500d'] as const;
const BUDGETS = Object.fromEntries(
  Object.entries(RECORD_BUDGETS_DEFAULT).map(([name, budget]) => [name, {...budget, ageMs: 36_500 * 86_400_000}]),
) as typeof RECORD_BUDGETS_DEFAULT;
const ignore = (): void => undefined;
export const silent = {debug: ignore, info: ignore, warn: ignore, error: ignore};

export const openFixtureRecords = (folder: string) =>
  openSqliteRecordStore({folder, budgets: BUDGETS, clock: {now: () => Date.now()}, log: silent});

/** Packed: `data` (a data folder), `ids/store.sqlite` (with an IDS endpoint), `stack/state` and `stack/prog`. */
export const unpack = (version: string, folder: string): void => {
  mkdirSync(folder, {recursive: true});
  execFileSync('tar', ['-xzf', join(FIXTURES, version, 'folders.tar.gz'), '-C', folder]);
};

const OBJECTS = [
  '/api/v1/namespaces/fixture',
  '/api/v1/namespaces/fixture/endpoints',
  '/api/v1/namespaces/fixture/services',
  '/api/v1/namespaces/fixture/serviceaccounts',
  '/apis/platform.io/v1alpha1/namespaces/fixture/endpointgroups',
  '/apis/discovery.k8s.io/v1/namespaces/fixture/endpointslices',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/fixture-reader',
  '/apis/coordination.k8s.io/v1/namespaces/fixture/leases',
] as const;

type Json = {readonly [name: string]: unknown} & {readonly items?: readonly Json[]};

const get = async (url: string): Promise<Json> => {
  const response = await fetch(url);
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Json;
};

const lines = (title: string, ...values: readonly unknown[]): readonly string[] => [
  `# ${title}`,
  ...values.map(value => (typeof value === 'string' ? value : JSON.stringify(value))),
];

const ofServer = async (data: string): Promise<readonly string[]> => {
  const flags = ['--data', data, '--http', '127.0.0.1:0', '--auth', 'none', '--log-level', 'warn', ...AGES];
  await using server = await serve(flags);
  const {http} = server.ready;
  const found: string[] = [];
  for (const path of OBJECTS) {
    const body = await get(`${http}${path}`);
    found.push(...lines(path, ...(body.items ?? [body])));
  }
  const ids = `${http}/v1/projects/fixture/locations/local`;
  found.push(...lines('operations', ...((await get(`${ids}/operations`))['operations'] as unknown[])));
  const threats = (await get(`${http}/v1/${ENDPOINT}/threats`))['threats'] as readonly {id: string}[];
  found.push(...lines('threats', ...threats));
  found.push(...lines('traffic', ...((await get(`${http}/v1/${ENDPOINT}/traffic`))['traffic'] as unknown[])));
  for (const {id} of threats) found.push(...lines(`threat ${id}`, await get(`${http}/v1/${ENDPOINT}/threats/${id}`)));
  return found;
};

const ofRecords = async (data: string): Promise<readonly string[]> => {
  const records = openFixtureRecords(join(data, 'records'));
  try {
    return lines('positions', await records.load(ENDPOINT), await records.loadReader(READER));
  } finally {
    await records.close();
  }
};

const ofIds = async (file: string): Promise<readonly string[]> => {
  await using store = await openSqliteStore({file});
  const state = new IdsState({store, timers: new ManualTime(), log: silent});
  await state.start();
  try {
    const all = [state.endpoints, state.operations, state.requests, state.addresses, state.vnis];
    return all.flatMap((kind, i) => lines(`ids ${i}`, ...kind.names().map(name => [name, kind.get(name)?.record])));
  } finally {
    await state.stop();
  }
};

const command = async (words: readonly string[], opts: Parameters<typeof run>[1] = {}): Promise<string> => {
  const {code, stdout, stderr} = await run(words, opts);
  if (code !== 0) throw new Error(`palisade ${words.join(' ')}: ${code}\n${stdout}${stderr}`);
  return stdout.trimEnd();
};

const ofStack = async (stack: string): Promise<readonly string[]> => {
  const env = {
    PULUMI_BACKEND_URL: `file://${join(stack, 'state')}`,
    PULUMI_HOME: join(stack, 'home'),
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
  };
  const opts = {env, cwd: join(stack, 'prog')};
  return [
    ...lines('stack', await command(['stack', 'export', '--stack', 'dev', '--show-secrets'], opts)),
    ...lines('history', await command(['stack', 'history', '--stack', 'dev', '--json'], opts)),
    ...lines('config', await command(['config', '--stack', 'dev', '--show-secrets', '--json'], opts)),
  ];
};

/** `folder`: an unpacked fixture, which changes. */
export const observe = async (folder: string): Promise<string> => {
  const data = join(folder, 'data');
  const {keys, revision, compacted} = JSON.parse(await command(['store', 'check', '--data', data, '--json'])).store;
  const certificates = (await command(['certs', 'show', '--data', data, '--json']))
    .split('\n')
    .map(line => ({...JSON.parse(line), daysLeft: undefined})); // they pass
  const found = [
    ...lines('store', {keys, revision, compacted}),
    ...lines('certificates', ...certificates),
    ...(await ofServer(data)),
    ...(await ofRecords(data)),
    ...(await ofIds(join(folder, 'ids/store.sqlite'))),
    ...(await ofStack(join(folder, 'stack'))),
  ];
  return `${found.join('\n').replaceAll(folder, 'FOLDER')}\n`;
};
