// SPDX-License-Identifier: Apache-2.0
/**
 * A program on a faulty disk lives several times: it runs, is killed after so many lines, and power is lost, so that the next life
 * begins with what is left. In between, states are looked at that power loss may have left at any moment of the life.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import type {DiskLab} from './disk-lab.ts';
import type {DiskFault, PowerLoss, Random} from './faulty-disk.ts';

export type Life = {
  readonly lab: DiskLab;
  /** Node's arguments; the folder of the disk is `lab.disk.folder`. */
  readonly program: readonly string[];
  /** Lines on stdout after which it is killed. */
  readonly lines: number;
  /** States that are looked at. */
  readonly states: number;
  readonly random: Random;
  /** Of the disk during the life. */
  readonly faults?: readonly DiskFault[];
  /** Throws for a state that power loss must not leave. `said`: the lines of this life by then; `folder` may be changed. */
  readonly check: (folder: string, said: readonly string[]) => Promise<void>;
};

/** Returns what it said before it was killed, and what the loss of power at its end took. */
export const live = async (life: Life): Promise<{said: readonly string[]; loss: PowerLoss}> => {
  const {lab, random} = life;
  const {disk} = lab;
  disk.arm(...(life.faults ?? []));
  await runAndKill(life);
  disk.disarm();
  const unexplained = disk.unexplained();
  if (unexplained.length > 0) throw new Error(`the log of the disk does not explain: ${unexplained.join('; ')}`);
  const state = join(lab.parent, 'state');
  const {operations} = disk;
  for (let i = 0; i < life.states; i++) {
    const at = i === 0 ? operations : Math.floor(random() * (operations + 1));
    const {said, ...loss} = disk.imagine(state, random, at);
    await life.check(state, linesOf(said)).catch(error => {
      throw new Error(`state ${i}, after ${at} of ${operations} operations, ${JSON.stringify(loss)}: ${error.message}`);
    });
  }
  const {said} = disk.imagine(state, random);
  return {said: linesOf(said), loss: disk.losePower(random)};
};

const linesOf = (said: string): string[] => said.split('\n').slice(0, -1);

/** The disk remains as it is, with the log of what was done. */
export const runAndKill = async ({lab, program, lines}: Pick<Life, 'lab' | 'program' | 'lines'>): Promise<void> => {
  const child = spawn(process.execPath, ['--no-warnings', ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {...process.env, ...lab.disk.env()},
  });
  const ended = once(child, 'close');
  let count = 0;
  for await (const _ of createInterface({input: child.stdout})) if (++count === lines) lab.disk.kill(child.pid ?? 0);
  await ended;
  if (child.signalCode !== 'SIGKILL') throw new Error(`${program.join(' ')} ended by itself (${child.exitCode})`);
};
