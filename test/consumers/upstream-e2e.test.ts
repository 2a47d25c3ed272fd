// SPDX-License-Identifier: Apache-2.0
/** Upstream's end-to-end tests of the kinds that are served, unchanged, against `--compat kubernetes`. */
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, resolve} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {startSecured} from '../e2e/support/secured-server.ts';
import {run, scratch} from '../support/palisade.ts';
import {writeKubeconfig} from './support/kubeconfig.ts';
import {AREAS, patternOf} from './support/upstream-tests.ts';

const {path, whyNot} = peerOrWhyNot('e2e');
const skipped = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
/** Two minutes on an idle machine. */
const SUITE_MS = 900_000;
/** All that the program printed. */
const LOG = resolve('test-results/upstream-e2e.log');

/** What ginkgo writes of each test. */
type Spec = {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeText: string;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: {readonly Message: string; readonly Location?: {FileName: string; LineNumber: number}};
};
type Outcome = {readonly name: string; readonly state: string; readonly failure: string};

/** Tests that ran, and nodes of the suite that failed. */
const outcomesOf = (report: string): readonly Outcome[] => {
  const [suite] = JSON.parse(report) as [{SpecReports: readonly Spec[]}];
  return suite.SpecReports.filter(({State}) => State !== 'skipped').map(spec => ({
    name: [...(spec.ContainerHierarchyTexts ?? [spec.LeafNodeType]), spec.LeafNodeText].join(' '),
    state: spec.State,
    failure:
      spec.Failure === undefined
        ? ''
        : `${spec.Failure.Message} ${spec.Failure.Location?.FileName ?? ''}:${spec.Failure.Location?.LineNumber ?? ''}`,
  }));
};

describe.skipIf(path === '')(`end-to-end tests of Kubernetes 1.36.3${skipped}`, () => {
  let outcomes: readonly Outcome[] = [];
  let output = '';
  let errors: string[] = [];

  beforeAll(async () => {
    mkdirSync(dirname(LOG), {recursive: true});
    using folder = scratch();
    const server = await startSecured(folder.dir, ['--apis', 'kubernetes', '--compat', 'kubernetes']);
    const focus = AREAS.flatMap(({area, tests}) => tests.map(name => patternOf(area, name))).join('|');
    const report = join(folder.dir, 'report.json');
    const flags = [
      ...[
        `--kubeconfig=${writeKubeconfig(folder.dir, server)}`,
        '--provider=skeleton',
        '--num-nodes=0',
        '--allowed-not-ready-nodes=-1',
      ],
      ...['--e2e-verify-service-account=false', '--ginkgo.no-color', `--ginkgo.json-report=${report}`],
      ...[`--ginkgo.focus=${focus}`, '--ginkgo.timeout=14m'],
    ];
    try {
      const done = await run(flags, {command: path, cwd: folder.dir, limitMs: SUITE_MS});
      output = `${done.stdout}\n${done.stderr}`;
      outcomes = outcomesOf(readFileSync(report, 'utf8'));
    } finally {
      await server.stop();
      errors = server.errors();
      writeFileSync(LOG, output);
    }
  }, SUITE_MS);

  const cases = AREAS.flatMap(({area, tests}) => tests.map(name => [area, name] as const));
  test.each(cases)('45-4 %s %s', (area, name) => {
    const pattern = new RegExp(patternOf(area, name));
    const found = outcomes.filter(outcome => pattern.test(outcome.name));
    expect(
      found.map(({state, failure}) => `${state} ${failure}`.trim()),
      output.slice(-2_000),
    ).toEqual(['passed']);
  });

  const foreign = AREAS.flatMap(({area, needs}) => Object.entries(needs ?? {}).map(entry => [area, ...entry] as const));
  test.skip.each(foreign)('45-4 %s %s (skipped: it needs %s)', () => {});

  test('45-4 nothing else failed, and the server wrote no error', () => {
    const failed = outcomes.filter(({state}) => state !== 'passed');
    expect(failed.map(({name, failure}) => `${name}: ${failure}`)).toEqual([]);
    expect(errors).toEqual([]);
  });
});
