import {availableParallelism} from 'node:os';
import {resolve} from 'node:path';
import {defineConfig} from 'vitest/config';

/** Programs that tests start, and their workers, load what was compiled before; that of `palisade` itself. */
process.env['NODE_COMPILE_CACHE'] ??= resolve('node_modules/.cache/palisade');

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
/** These compute while sensors wait: foreign clients against a server on a free port, and programs that are killed. */
const BESIDE_SENSORS = [
  ...['e2e', 'reference', 'robustness'].map(folder => `test/${folder}/**/*.test.ts`),
  'test/consumers/health-checked-backends.test.ts',
];
/** A browser, its pages and a server compute at the same time: nothing else runs beside these. */
const IN_A_BROWSER = ['test/console/**/*.test.ts'];
/** In the long form each has the machine for itself. */
const isSoak = process.env['PALISADE_SOAK'] !== undefined;
const WAITING = isSoak ? SENSORS : [...SENSORS, ...BESIDE_SENSORS];

export default defineConfig({
  test: {
    projects: [
      // Files share their modules: loading these for each file is half of the work.
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'packages/console/*.test.ts'],
          exclude,
          maxWorkers,
          isolate: false,
          ...patience,
        },
      },
      {test: {name: 'parallel', include: SIDE_BY_SIDE, exclude, maxWorkers, ...patience}},
      {
        test: {
          name: 'sensors',
          include: WAITING,
          exclude,
          ...patience,
          maxWorkers: maxWorkers + 2,
          sequence: {groupOrder: 1}, // after the others, which have fewer workers
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...SIDE_BY_SIDE, ...WAITING, ...IN_A_BROWSER],
          ...patience,
          fileParallelism: false,
          sequence: {groupOrder: 2}, // after the others, one file at a time
        },
      },
      {
        test: {
          name: 'console',
          include: IN_A_BROWSER,
          exclude,
          ...patience,
          maxWorkers: 2,
          sequence: {groupOrder: 3},
        },
      },
    ],
    reporters: ['default', 'json'],
    outputFile: {json: 'test-results/vitest.json'},
  },
});
