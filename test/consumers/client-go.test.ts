// SPDX-License-Identifier: Apache-2.0
/** Controllers of others: k8s.io/client-go 0.37 and controller-runtime 0.25 against a running server: bench/peers/client-go. */
import {beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {expectCheck, type Report, runChecks} from '../e2e/support/checks.ts';
import {ADMIN_TOKEN, startSecured} from '../e2e/support/secured-server.ts';
import {scratch} from '../support/palisade.ts';

const {path, whyNot} = peerOrWhyNot('client-go');
const skipped = whyNot === '' ? '' : ` (skipped: ${whyNot})`;
/** Leases run out in it, and the server is killed three times. */
const PROGRAM_MS = 240_000;
const HOOK_MS = PROGRAM_MS + 60_000;

describe.skipIf(path === '').each(['spec', 'kubernetes'])(`controllers, with --compat %s${skipped}`, compat => {
  let report: Report | undefined;
  let errors: string[] = [];

  beforeAll(async () => {
    using folder = scratch();
    const server = await startSecured(folder.dir, ['--apis', 'kubernetes', '--compat', compat]);
    try {
      report = await runChecks(path, ['-server', server.url, '-ca', server.caFile, '-token', ADMIN_TOKEN], {
        answer: async () => void (await server.restart()),
        limitMs: PROGRAM_MS,
      });
    } finally {
      await server.stop();
      errors = server.errors();
    }
  }, HOOK_MS);

  test.each([
    ['watch-list', 'informers of five kinds take their first objects from a stream in protobuf, and ask for no list'],
    ['add-update-delete', 'informers see each add, update and delete of services, slices, sets, maps and leases'],
    ['informers-after-restart', 'informers catch up with changes made after kill -9, and agree with a list'],
    ['one-leads', 'of two candidates for a lease one leads'],
    ['leader-outlives-restart', 'a leader keeps its lease over kill -9 of the server'],
    ['released-lease-is-taken', 'a released lease is taken by the other candidate at once'],
    ['lost-lease-is-taken', 'a leader that is cut off stops, and another takes the lease when it has run out'],
    ['leader-events', 'candidates record their events about the lease'],
    ['core-recorder', 'the recorder of core/v1 counts in one event, which events.k8s.io/v1 shows too'],
    ['events-recorder', 'the recorder of events.k8s.io/v1 makes a series, which core/v1 shows too'],
    ['manager-reconciles', 'a manager with leader election writes owned Endpoints and an event; another one waits'],
    ['manager-after-restart', 'a manager continues after kill -9 of the server'],
    ['manager-hands-over', 'the second manager takes over when the first one ends'],
    ['owned-objects-go', 'Endpoints that a ConfigMap owns go with it'],
  ])('45-3 %s: %s', name => expectCheck(report, name));

  test('45-3 the program ends with exit code 0 and the server wrote no error', () => {
    expect(report).toMatchObject({code: 0});
    expect(errors).toEqual([]);
  });
});
