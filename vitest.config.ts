import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';

const exclude = ['**/dist/**', '**/node_modules/**', '**/build/**'];
/** Bounds against hanging, far above what a test needs on an idle machine. */
const patience = {testTimeout: 90_000, hookTimeout: 90_000, expect: {poll: {timeout: 60_000}}};
/** As by default, but two where there are two processors: one would be idle. */
const maxWorkers = Math.max(2, availableParallelism() - 1);
/** Each test of these has its own server on a free port and its own folder: files run side by side. */
const SIDE_BY_SIDE = ['cli', 'engine', 'export', 'fuzz', 'server', 'tidy', 'wire'].map(
  folder => `test/${folder}/**/*.test.ts`,
);
/** Tests of sensors wait for Suricata more than they compute, in network namespaces of their own. */
const SENSORS = ['test/sensor/**/*.test.ts', 'test/ids-e2e/**/*.test.ts', 'test/ids/**/*.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {test: {name: 'unit', include: ['packages/*/src/**/*.test.ts'], exclude, maxWorkers, ...patience}},
      {test: {name: 'parallel', include: SIDE_BY_SIDE, exclude, maxWorkers, ...patience}},
      {
        test: {
          name: 'sensors',
          include: SENSORS,
          exclude,
          ...patience,
          maxWorkers: maxWorkers + 1,
          sequence: {groupOrder: 1}, // after the others, which have fewer workers
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...SIDE_BY_SIDE, ...SENSORS],
          ...patience,
          fileParallelism: false,
          sequence: {groupOrder: 2}, // after the others, one file at a time
        },
      },
    ],
    reporters: ['default', 'json'],
    outputFile: {json: 'test-results/vitest.json'},
  },
});
