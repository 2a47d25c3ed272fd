// SPDX-License-Identifier: Apache-2.0
/**
 * Writes every test as the runner names it, also those that this machine skips: [{name, file}]. Loads the test files and runs
 * none. (`vitest list` leaves the skipped ones out.)   Run: node tools/list-tests.ts FILE
 */
import {writeFileSync} from 'node:fs';
import {createVitest} from 'vitest/node';

const vitest = await createVitest('test', {
  watch: false,
  isolate: false,
  maxWorkers: 1, // each worker would load the packages again
  pool: 'threads',
  reporters: [{}],
});
try {
  const {testModules, unhandledErrors} = await vitest.collect([], {staticParse: false});
  for (const error of unhandledErrors) throw error;
  const tests = testModules.flatMap(module => {
    for (const error of module.errors()) throw new Error(`${module.moduleId}: ${error.message}`);
    return [...module.children.allTests()].map(test => ({name: test.fullName, file: module.moduleId}));
  });
  writeFileSync(process.argv[2] ?? 'tests.json', JSON.stringify(tests));
} finally {
  await vitest.close();
}
