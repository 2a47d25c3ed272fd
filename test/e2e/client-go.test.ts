// SPDX-License-Identifier: Apache-2.0
/** The stock k8s.io/client-go 0.36 against a running server, over HTTPS with a token: programs/client-go. Skipped where Go is absent. */
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {run, scratch} from '../support/palisade.ts';
import {expectCheck, type Report, runChecks} from './support/checks.ts';
import {ADMIN_TOKEN, READER_TOKEN, type SecuredServer, startSecured} from './support/secured-server.ts';
import {BUILD_TIMEOUT_MS, goProgram, skipped, whyNoGo} from './support/toolchain.ts';

const absent = skipped('client-go', whyNoGo());

const palisade = async (...words: string[]): Promise<number | null> => {
  const {code, stderr} = await run(words);
  if (stderr !== '') throw new Error(`${words.join(' ')}: ${stderr}`);
  return code;
};

/** By the word with which the program asks for it; each gives the exit code of the process that ended. */
const actionsOn = (server: SecuredServer, backup: string): Record<string, () => Promise<number | null>> => ({
  restart: () => server.restart('SIGKILL'),
  drain: () => server.restart('SIGTERM'),
  backup: () => palisade('backup', backup, '--data', server.data),
  restore: () =>
    server.restart('SIGTERM', async () => void (await palisade('restore', backup, '--data', server.data, '--replace'))),
});

describe.skipIf(absent !== undefined)('client-go', () => {
  let report: Report | undefined;
  let errors: string[] = [];
  const exits: [string, number | null][] = [];
  let missing: string | undefined;

  beforeAll(async () => {
    const program = await goProgram('client-go');
    if ('missing' in program) {
      missing = skipped('client-go', program.missing);
      return;
    }
    using folder = scratch();
    const server = await startSecured(folder.dir, ['--apis', 'kubernetes']);
    const actions = actionsOn(server, join(folder.dir, 'backup.tar.zst'));
    try {
      report = await runChecks(
        program.path,
        ['-server', server.url, '-ca', server.caFile, '-token', ADMIN_TOKEN, '-other-token', READER_TOKEN],
        {
          answer: async ask => {
            const action = actions[ask];
            if (action === undefined) throw new Error(`the program asked for ${ask}`);
            exits.push([ask, await action()]);
          },
        },
      );
    } finally {
      await server.stop();
      errors = server.errors();
    }
  }, BUILD_TIMEOUT_MS);

  const passes = (name: string) => (context: {skip(note?: string): void}) => {
    if (missing !== undefined) return context.skip(missing);
    expectCheck(report, name);
  };

  test(
    'E-270 E-272 typed client over HTTP/2: every answer of create, get, update, delete is protobuf',
    passes('typed-protobuf'),
  );
  test('E-009 E-060 E-072 E-080 E-272 every field survives protobuf in and JSON out', passes('every-field'));
  test('E-157 stale updates and deletes with a wrong precondition are conflicts', passes('update-conflict'));
  test('E-061 E-062 E-142 E-252 typed errors: exists, invalid with its causes, not found', passes('typed-errors'));
  test('E-271 dryRun stores nothing; deletecollection by selector', passes('dry-run-delete-collection'));
  test('E-271 JSON, merge, strategic merge and apply patches', passes('four-patches'));
  test('E-157 eight writers that retry on conflict all get their change in', passes('retry-on-conflict'));
  test('E-048 E-214 server-side apply twice is one write; its configuration is extracted again', passes('apply-twice'));
  test(
    'E-218 E-221 apply conflicts name the manager; force takes over; equal values are shared',
    passes('apply-conflict-force'),
  );
  test('E-112 E-219 what its only applier leaves out goes, what others wrote stays', passes('apply-removes'));
  test('E-271 pages are one snapshot; field selector', passes('paging-snapshot'));
  test('E-137 E-271 E-275 watch with initial events, bookmark and a label selector', passes('watch-initial-events'));
  test('E-161 E-253 versions of the future and broken continue tokens are typed errors', passes('watch-expired'));
  test('E-272 metadata client: PartialObjectMetadata in protobuf', passes('metadata-client'));
  test('E-270 dynamic client: unstructured JSON', passes('dynamic-client'));
  test('E-270 discovery, OpenAPI v2 in protobuf and the index of v3, version', passes('discovery'));
  test(
    'E-270 every OpenAPI v3 document is protobuf that gnostic reads, equal to its JSON',
    passes('openapi-v3-protobuf'),
  );
  test('E-276 unknown token 401, no role 403, a Role and its binding let in', passes('rbac'));
  test('E-275 informer sees add, update and delete', passes('informer-before-restart'));
  test('E-159 the last answered write survives kill -9 of the server', passes('killed-and-started'));
  test(
    'E-159 E-275 a watch from before the restart brings every later change once, in order',
    passes('watch-resumes-over-restart'),
  );
  test(
    'E-159 E-275 the informer of before the restart catches up, and its store is what a list gives',
    passes('informer-after-restart'),
  );

  test('E-275 the informer goes on after a drained restart too', passes('informer-after-drain'));

  test(
    '48-3 the informer returns to the state of a restored backup, and continues from there',
    passes('informer-after-restore'),
  );

  test('SIGTERM with open watches ends with exit code 0', context => {
    if (missing !== undefined) return context.skip(missing);
    expect(exits).toEqual([
      ['restart', null],
      ['drain', 0],
      ['backup', 0],
      ['restore', 0],
    ]);
  });

  test('the program ends with exit code 0 and the server wrote no error', context => {
    if (missing !== undefined) return context.skip(missing);
    expect(report).toMatchObject({code: 0});
    expect(errors).toEqual([]);
  });
});
