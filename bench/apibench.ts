// SPDX-License-Identifier: Apache-2.0
/** The load generator bench/apibench (Go), built once and run against one server. */
import {spawn, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {type Target, TOKEN} from './peers.ts';

export type Measure = Record<string, number> & {measure: string};

/** HTTP/2, which kubectl and client-go speak, comes first. */
export const PROTOCOLS = ['HTTP/2', 'HTTP/1.1'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** Path of the program. Throws when Go is absent. */
export const buildApibench = (): string => {
  const bin = resolve('build/apibench');
  if (existsSync(bin)) return bin;
  const built = spawnSync('go', ['build', '-o', bin, '.'], {cwd: resolve('bench/apibench'), stdio: 'inherit'});
  if (built.status !== 0) throw new Error('apibench needs Go: install it, then run this again');
  return bin;
};

/**
 * Runs every measure, or those up to `last`, after which it is ended: for a server that answers no more than these.
 * Rejects when it fails: any answer other than 2xx is one.
 */
export const load = (
  target: Target,
  bin: string,
  {protocol, objects, last}: {protocol: Protocol; objects: number; last?: string},
): Promise<Measure[]> =>
  new Promise((done, fail) => {
    const flags = ['-pids', target.pids.join(','), '-objects', String(objects), `-http2=${protocol === 'HTTP/2'}`];
    const child = spawn(bin, ['-server', target.server, '-token', TOKEN, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    const measures = () =>
      text
        .split('\n')
        .slice(0, -1)
        .map(l => JSON.parse(l) as Measure);
    const isDone = () => last !== undefined && measures().some(m => m.measure === last);
    child.stdout.on('data', chunk => {
      text += String(chunk);
      if (isDone()) child.kill();
    });
    child.once('error', fail);
    child.once('close', code =>
      code === 0 || isDone() ? done(measures()) : fail(new Error(`apibench against ${target.name}: exit ${code}`)),
    );
  });
