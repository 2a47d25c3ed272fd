// SPDX-License-Identifier: Apache-2.0
/**
 * Exactly once over crashes of Suricata, of the server and of both: kill -9 at moments that a seed chooses, then every alert line and every
 * flow line that Suricata wrote is in exactly one record (test/ids-e2e/kills/judge.ts names the checks).
 * A run prints its seed; PALISADE_SEED=n repeats it (up to the scheduling of the machine). PALISADE_SOAK=1: 50 lives instead of one of each kind.
 */
import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {skipReason, whyNot} from '../sensor/lab/lab.ts';
import {KILLS} from './kills/plan.ts';

const LIVES_MAIN = fileURLToPath(new URL('./kills/lives.ts', import.meta.url));
const SOAK = process.env['PALISADE_SOAK'] === '1';
const LIVES = SOAK ? 50 : KILLS.length;
const LIFE_MS = 60_000;

/** The lines it prints, the last of them with the result. */
const runLives = async (): Promise<Record<string, unknown>[]> => {
  const script = 'ip link set lo up && exec "$@"';
  const child = spawn('unshare', ['-n', 'sh', '-c', script, 'sh', process.execPath, LIVES_MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {...process.env, LIVES: String(LIVES)},
  });
  const lines: Record<string, unknown>[] = [];
  for await (const line of createInterface({input: child.stdout})) lines.push(JSON.parse(line));
  return lines;
};

describe.skipIf(whyNot !== undefined)(`kill -9 of Suricata and the server${skipReason}`, () => {
  test('44-1 every alert and flow that Suricata wrote is in exactly one record, and the counts are its own, whoever was killed and when', {
    timeout: LIVES * LIFE_MS,
  }, async () => {
    const result = (await runLives()).at(-1) ?? {};
    process.stdout.write(`kill test: ${JSON.stringify(result).slice(0, 2_000)}\n`);
    expect(result['failed'], `PALISADE_SEED=${result['seed']}`).toBeUndefined();
    expect(result).toMatchObject({lives: LIVES, torn: 0});
    expect(Number(result['serverKills'])).toBeGreaterThan(0);
    expect(Number(result['suricataKills'])).toBeGreaterThan(0);
  });
});
