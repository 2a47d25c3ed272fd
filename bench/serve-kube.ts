// SPDX-License-Identifier: Apache-2.0
/** A `palisade serve` of the Kubernetes side alone, for benches: plain HTTP on a free port, everyone is let in, unless `access` says otherwise. */
import {mkdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {end, start, until} from './processes.ts';

export type Served = {
  readonly url: string;
  /** Where it was asked for by a flag. */
  readonly https: string | undefined;
  readonly pid: number;
  readonly readyMs: number;
  stop(): Promise<void>;
};

const EVERYONE = ['--auth', 'none'];

export const serveKube = async (
  dir: string,
  more: readonly string[] = [],
  access: readonly string[] = EVERYONE,
): Promise<Served> => {
  mkdirSync(dir, {recursive: true});
  const log = join(dir, 'log');
  const flags = ['--data', join(dir, 'data'), '--http', '127.0.0.1:0', ...access, '--apis', 'kubernetes', ...more];
  const child = start(
    'palisade',
    resolve('node_modules/.bin/palisade'),
    ['serve', ...flags, '--log-level', 'warn'],
    log,
  );
  let line: string | undefined;
  const readyMs = await until(
    'palisade',
    async () => {
      line = readFileSync(log, 'utf8')
        .split('\n')
        .find(l => l.startsWith('{"ready":true'));
      return line !== undefined;
    },
    120_000,
  );
  const {http, https, pid} = JSON.parse(line ?? '{}') as {http: string; https?: string; pid: number};
  return {url: http, https, pid, readyMs, stop: () => end(child)};
};
