import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {resolve} from 'node:path';
import {defineConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

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
/**
 * Started first in their project. In a fresh clone vitest starts large files first, but these are small and take 20 s to 3 minutes: the
 * last of them would run alone.
 */
const LONG = [
  'test/sensor/drivers.test.ts',
  'test/ids-e2e/kills.test.ts',
  'test/sensor/eve-damage.test.ts',
  'test/robustness/disk/restart-power-loss.test.ts',
  'test/sensor/hang.test.ts',
  'test/sensor/interfaces.test.ts',
  'test/ids-e2e/evidence.test.ts',
  'test/e2e/python-kubernetes.test.ts',
].map(file => resolve(import.meta.dirname, file));
for (const file of LONG) if (!existsSync(file)) throw new Error(`vitest.config.ts: LONG: ${file} does not exist`);

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({project}) => project))];
    const rank = ({moduleId}: TestSpecification): number =>
      LONG.includes(moduleId) ? LONG.indexOf(moduleId) : LONG.length;
    return sorted.sort((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || rank(a) - rank(b));
  }
}
/** In the long form each has the machine for itself. */
const isSoak = process.env['PALISADE_SOAK'] !== undefined;
const WAITING = isSoak ? SENSORS : [...SENSORS, ...BESIDE_SENSORS];

export default defineConfig({
  test: {
    sequence: {sequencer: LongFirst},
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
