// SPDX-License-Identifier: Apache-2.0
/**
 * Loaded into a measured server with `--import`: SIGUSR2 appends the event-loop delay since the last signal to the file that
 * LOOP_DELAY_FILE names, as a line of JSON, in milliseconds.
 */
import {appendFileSync} from 'node:fs';
import {monitorEventLoopDelay} from 'node:perf_hooks';

export type LoopDelay = {readonly max: number; readonly p99: number; readonly mean: number};

const NANOSECONDS_PER_MS = 1e6;
const file = process.env['LOOP_DELAY_FILE'];
if (file !== undefined) {
  const delay = monitorEventLoopDelay({resolution: 1});
  delay.enable();
  process.on('SIGUSR2', () => {
    const [max, p99, mean] = [delay.max, delay.percentile(99), delay.mean].map(ns => ns / NANOSECONDS_PER_MS);
    appendFileSync(file, `${JSON.stringify({max, p99, mean})}\n`);
    delay.reset();
  });
}
