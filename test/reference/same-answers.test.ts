// SPDX-License-Identifier: Apache-2.0
/**
 * Whatever several writers do to an object, kube-apiserver and `--compat kubernetes` answer alike: status, warnings, bodies with
 * their managed fields, texts of errors, which writes make a new version. Both run here, each over its own store.
 *
 * The reference is what `make peers` builds (build/peers); without it these tests are skipped. PALISADE_SOAK=1 builds it where Go
 * is there, and plays far more.
 */
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import fc from 'fast-check';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot, startKube, type Target, TOKEN_LINE} from '../../bench/peers.ts';
import {type RunningServer, scratch, serve} from '../support/palisade.ts';
import {SUBJECTS} from './kinds/index.ts';
import {filledIn, type Step, type Subject, stepsOf} from './steps.ts';
import {Server} from './two-servers.ts';

const SOAK = process.env['PALISADE_SOAK'] === '1';
const RUNS = Number(process.env['RUNS'] ?? (SOAK ? 1000 : 40));
const [etcd, apiserver] = [peerOrWhyNot('etcd'), peerOrWhyNot('kube-apiserver')];
const missing = etcd.whyNot || apiserver.whyNot;
const bins = missing === '' ? {etcd: etcd.path, apiserver: apiserver.path} : undefined;
const whyNot = missing === '' ? '' : ` (skipped: ${missing})`;

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const POLICY = [
  `${RBAC}/clusterroles`,
  `${RBAC}/clusterrolebindings`,
  `${RBAC}/namespaces/kube-system/roles`,
  `${RBAC}/namespaces/kube-system/rolebindings`,
];

type Policy = {readonly metadata: {readonly name: string; readonly labels?: unknown; readonly annotations?: unknown}};

/** By name; without the rules of roles that a controller fills, which the reference is not running. */
const policyOf = (list: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (list as {items: readonly (Policy & {rules?: unknown; aggregationRule?: unknown})[]}).items.map(
      ({metadata: {name, labels, annotations}, rules, ...rest}) => [
        name,
        {...rest, labels, annotations, ...(rest.aggregationRule === undefined && {rules})},
      ],
    ),
  );

describe.skipIf(bins === undefined)(`beside kube-apiserver${whyNot}`, () => {
  const folder = scratch();
  let reference: Target;
  let ours: RunningServer;
  let servers: readonly [Server, Server];
  let namespaces = 0;

  beforeAll(async () => {
    if (bins === undefined) return;
    const tokens = join(folder.dir, 'tokens.csv');
    writeFileSync(tokens, TOKEN_LINE);
    const flags = [
      '--https',
      '127.0.0.1:0',
      '--token-auth-file',
      tokens,
      '--compat',
      'kubernetes',
      '--apis',
      'kubernetes',
    ];
    reference = await startKube(bins, join(folder.dir, 'reference'));
    ours = await serve(['--data', join(folder.dir, 'data'), '--http', '127.0.0.1:0', '--log-level', 'warn', ...flags]);
    servers = [new Server(reference.server), new Server(ours.ready.https ?? '')];
  }, 180_000);

  afterAll(async () => {
    for (const server of servers ?? []) server.close();
    await ours?.stop();
    await reference?.stop();
    folder[Symbol.dispose]();
  });

  const play = (subject: Subject, all: readonly Step[]) => {
    const sequence = namespaces++;
    const filled = filledIn(subject, all, sequence);
    return Promise.all(servers.map(server => server.play(subject, `same-${sequence}`, filled)));
  };

  const named = ({kind, apiVersion, alsoAs}: Subject): string =>
    `${kind} of ${apiVersion}${alsoAs === undefined ? '' : ` and ${alsoAs.apiVersion}`}`;
  const titled = SUBJECTS.map(subject => ({...subject, named: named(subject)}));
  test.each(titled)(
    'E-212 E-218 E-219 E-252 E-271 E-275 $named: any sequence of requests gets the same answers and events',
    subject =>
      fc.assert(
        fc.asyncProperty(stepsOf(subject), async all => {
          const [wanted, got] = await play(subject, all);
          expect(got).toEqual(wanted);
        }),
        {numRuns: RUNS, endOnFailure: false},
      ),
    SOAK ? 1_800_000 : 200_000,
  );

  test.each(POLICY)('45-1 %s: those that both have are word for word the same', async path => {
    const [wanted, got] = await Promise.all(servers.map(async server => policyOf(await server.get(path))));
    const both = Object.keys(got ?? {}).filter(name => wanted?.[name] !== undefined);
    expect(both.length).toBeGreaterThan(1);
    for (const name of both) expect([name, got?.[name]]).toEqual([name, wanted?.[name]]);
  });
});
