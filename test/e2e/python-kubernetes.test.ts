// SPDX-License-Identifier: Apache-2.0
/** The stock `kubernetes` client of PyPI over HTTPS with a token: programs/python-kubernetes. Skipped where Python or venv is absent. */
import {beforeAll, describe, expect, test} from 'vitest';
import {scratch} from '../support/palisade.ts';
import {expectCheck, type Report, runChecks} from './support/checks.ts';
import {ADMIN_TOKEN, READER_TOKEN, startSecured} from './support/secured-server.ts';
import {BUILD_TIMEOUT_MS, programFile, pythonProgram, skipped, whyNoPython} from './support/toolchain.ts';

const absent = skipped('Python client', whyNoPython());

describe.skipIf(absent !== undefined)('Python client', () => {
  let report: Report | undefined;
  let errors: string[] = [];
  let missing: string | undefined;

  beforeAll(async () => {
    const python = await pythonProgram('python-kubernetes');
    if ('missing' in python) {
      missing = skipped('Python client', python.missing);
      return;
    }
    using folder = scratch();
    const server = await startSecured(folder.dir, ['--apis', 'kubernetes']);
    try {
      const main = programFile('python-kubernetes', 'main.py');
      report = await runChecks(python.path, [main, server.url, server.caFile, ADMIN_TOKEN, READER_TOKEN]);
    } finally {
      await server.stop();
      errors = server.errors();
    }
  }, BUILD_TIMEOUT_MS);

  const passes = (name: string) => (context: {skip(note?: string): void}) => {
    if (missing !== undefined) return context.skip(missing);
    expectCheck(report, name);
  };

  test('E-086 E-115 E-157 E-270 create, read, replace, delete; a stale replace is a conflict', passes('crud'));
  test('E-061 E-252 all faults of an object in one Status', passes('invalid'));
  test('E-271 list with limit and continue; label and field selectors', passes('paging'));
  test('E-159 E-275 watch from the version of a list', passes('watching'));
  test('E-271 strategic merge, JSON, merge and apply patches', passes('patching'));
  test('E-270 objects from YAML text', passes('from_yaml'));
  test('E-048 E-218 E-270 dynamic client: discovery, server-side apply twice, delete', passes('dynamic_client'));
  test('E-271 deletecollection by label', passes('collection'));
  test('E-276 a token without rights, an unknown token, an access review', passes('rights'));

  test('the program ends with exit code 0 and the server wrote no error', context => {
    if (missing !== undefined) return context.skip(missing);
    expect(report).toMatchObject({code: 0});
    expect(errors).toEqual([]);
  });
});
