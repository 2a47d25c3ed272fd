// SPDX-License-Identifier: Apache-2.0
/** The stock cloud.google.com/go/ids 1.5 over REST and over gRPC, with real sensors: programs/ids-go. Skipped where Go or Suricata is absent. */
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {scratch} from '../support/palisade.ts';
import {expectCheck, type Report, runChecks} from './support/checks.ts';
import {startIds, whyNoSuricata} from './support/ids-server.ts';
import {ADMIN_TOKEN, READER_TOKEN, startSecured} from './support/secured-server.ts';
import {BUILD_TIMEOUT_MS, goProgram, skipped, whyNoGo} from './support/toolchain.ts';

const absent = skipped('cloud.google.com/go/ids', whyNoGo() ?? whyNoSuricata());

describe.skipIf(absent !== undefined)('cloud.google.com/go/ids', () => {
  let report: Report | undefined;
  let missing: string | undefined;

  beforeAll(async () => {
    const program = await goProgram('ids-go');
    if ('missing' in program) {
      missing = skipped('cloud.google.com/go/ids', program.missing);
      return;
    }
    using folder = scratch();
    const open = await startIds(join(folder.dir, 'open'), '127.91.0.0/16');
    const secured = await startSecured(join(folder.dir, 'secured'), ['--apis', 'ids']);
    try {
      const servers = ['-rest', open.ready.http, '-grpc', open.address, '-secure', secured.url, '-ca', secured.caFile];
      report = await runChecks(program.path, [...servers, '-token', ADMIN_TOKEN, '-other-token', READER_TOKEN]);
    } finally {
      await Promise.all([open.stop(), secured.stop()]);
    }
  }, BUILD_TIMEOUT_MS);

  const passes = (name: string) => (context: {skip(note?: string): void}) => {
    if (missing !== undefined) return context.skip(missing);
    expectCheck(report, name);
  };

  describe('REST', () => {
    test('I-005 I-075 I-110 I-111 create and wait for its operation by name: READY within 30 s', passes('rest/create'));
    test('I-096 I-110 get; what is missing is a typed error that names it', passes('rest/get'));
    test('I-110 list in pages; filter and order over all locations', passes('rest/list'));
    test('I-022 I-044 I-093 I-096 errors with their codes and field violations', passes('rest/errors'));
    test(
      'I-038 I-039 I-094 a repeated request id gives the same operation; the all-zero one is refused',
      passes('rest/request-id'),
    );
    test('I-110 I-111 operations: list, get with its response, cancel, delete', passes('rest/operations'));
    test('I-111 a create that is called off ends, and leaves nothing', passes('rest/cancel'));
    test('I-110 I-111 delete and wait', passes('rest/delete'));
    test('I-097 tokens over TLS: let in, forbidden, not authenticated', passes('rest/tokens'));
  });

  describe('gRPC', () => {
    test('I-005 I-111 I-113 create and wait for its operation by name', passes('grpc/create'));
    test('I-096 I-113 get; what is missing is a typed error that names it', passes('grpc/get'));
    test('I-113 list in pages; filter and order over all locations', passes('grpc/list'));
    test('I-022 I-044 I-093 I-096 I-113 errors with their codes and field violations', passes('grpc/errors'));
    test(
      'I-038 I-039 I-094 I-113 a repeated request id gives the same operation; the all-zero one is refused',
      passes('grpc/request-id'),
    );
    test('I-111 I-113 operations: list, get with its response, cancel, delete', passes('grpc/operations'));
    test('I-111 I-113 a create that is called off ends, and leaves nothing', passes('grpc/cancel'));
    test('I-111 I-113 delete and wait', passes('grpc/delete'));
    test('I-097 I-113 tokens over TLS: let in, forbidden, not authenticated', passes('grpc/tokens'));
  });

  test('the program ends with exit code 0', context => {
    if (missing !== undefined) return context.skip(missing);
    expect(report).toMatchObject({code: 0});
  });
});
