// SPDX-License-Identifier: Apache-2.0
/** Time from exec of `palisade serve` to its ready line, on an empty store and again on what it left. */
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {median, printFigure} from './figures.ts';
import {end, start, until} from './processes.ts';

const ROUNDS = 5;

const once = async (data: string, log: string): Promise<number> => {
  const child = start(
    'palisade',
    resolve('node_modules/.bin/palisade'),
    ['serve', '--data', data, '--http', '127.0.0.1:0', '--auth', 'none', '--log-level', 'warn'],
    log,
  );
  try {
    return await until('palisade', async () => readFileSync(log, 'utf8').includes('"ready":true'), 30_000);
  } finally {
    await end(child);
  }
};

const scratch = mkdtempSync(join(tmpdir(), 'palisade-start-'));
try {
  const empty: number[] = [];
  const again: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const data = join(scratch, String(round));
    const log = join(scratch, 'log');
    empty.push(await once(data, log));
    again.push(await once(data, log));
  }
  printFigure({name: 'serve.start.empty', unit: 'ms', value: Math.round(median(empty)), n: ROUNDS});
  printFigure({name: 'serve.start.again', unit: 'ms', value: Math.round(median(again)), n: ROUNDS});
} finally {
  rmSync(scratch, {recursive: true, force: true});
}
