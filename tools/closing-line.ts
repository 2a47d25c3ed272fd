// SPDX-License-Identifier: Apache-2.0
/** Prints `N passed, N failed` from the test report. A file that fails to load, and each failed check before it, count as failed. */
import {readFileSync} from 'node:fs';

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  testResults: {status: string; assertionResults: unknown[]}[];
};

const earlier = Number(process.argv[2] ?? 0);
let report: Report | undefined;
try {
  report = JSON.parse(readFileSync('test-results/vitest.json', 'utf8')) as Report;
} catch (error) {
  console.error(`no test report: ${error instanceof Error ? error.message : String(error)}`);
}
const unloaded = report?.testResults.filter(f => f.status === 'failed' && f.assertionResults.length === 0).length ?? 0;
const passed = report?.numPassedTests ?? 0;
const failed = earlier + unloaded + (report?.numFailedTests ?? 0) + (report === undefined || passed === 0 ? 1 : 0);
if (report !== undefined && report.numPendingTests > 0)
  console.log(`${report.numPendingTests} skipped (each says why)`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
