// SPDX-License-Identifier: Apache-2.0
/**
 * `make bench`: every bench in turn, with progress. One JSON line per figure; the Kubernetes side ends with a table of ratios.
 *
 *   node bench/run.ts            all
 *   node bench/run.ts start kube only these
 */
import {spawnSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';

const parts: readonly (readonly [name: string, file: string])[] = [
  ['start', 'start.ts'],
  ...['.', 'records'].flatMap(folder =>
    readdirSync(resolve('bench', folder))
      .filter(f => f.endsWith('.bench.ts'))
      .map(f => [join(folder, f.replace('.bench.ts', '')).replace('/', '-'), join(folder, f)] as const),
  ),
  ['floor', 'floor.ts'],
  ['kube', 'kube.ts'],
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter(w => !parts.some(([name]) => name === w));
if (unknown.length > 0) {
  console.error(`bench: unknown part: ${unknown.join(', ')}; the parts are ${parts.map(([name]) => name).join(', ')}`);
  process.exit(2);
}
let failed = 0;
for (const [name, file] of parts.filter(([n]) => wanted.length === 0 || wanted.includes(n))) {
  console.error(`bench: ${name}`);
  const done = spawnSync(process.execPath, [resolve('bench', file)], {stdio: 'inherit'});
  if (done.status !== 0) {
    failed++;
    console.error(`bench: ${name} failed with exit code ${done.status}`);
  }
}
process.exitCode = failed === 0 ? 0 : 1;
