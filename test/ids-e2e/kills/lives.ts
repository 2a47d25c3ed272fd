// SPDX-License-Identifier: Apache-2.0
/**
 * Exactly once over crashes: one data folder through many lives of a real `palisade serve` with a real Suricata, each ended by a kill
 * at a moment that a seed chooses. Runs in a network namespace of its own; prints a line of JSON for each life, the last one with the result.
 *
 *   unshare -n sh -c 'ip link set lo up; PALISADE_SEED=1 LIVES=20 node test/ids-e2e/kills/lives.ts'
 *
 * KINDS=a,b: only these kinds of kill. KEEP=1: the data folder stays, and its name is printed.
 */
import {randomInt} from 'node:crypto';
import {seededRandom} from '../../robustness/suite/random.ts';
import {KillLab} from './kill-lab.ts';
import {KILLS, type Kill, planOf} from './plan.ts';

const {PALISADE_SEED, LIVES = String(KILLS.length), KINDS, KEEP} = process.env;
const seed = PALISADE_SEED === undefined ? randomInt(1_000_000) : Number(PALISADE_SEED);
const kinds = KILLS.filter(kind => KINDS === undefined || KINDS.split(',').includes(kind));
const random = seededRandom(seed);

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

/** What one kill does, from the load to the dead. Resolves when nobody is to be killed any more. */
const kill = async (lab: KillLab, plan: Kill): Promise<void> => {
  switch (plan.kind) {
    case 'suricata':
      for (let i = 0; i < plan.times; i++) {
        await lab.pass(plan.loadMs / plan.times);
        await lab.killSuricata();
      }
      return;
    case 'server':
      return lab.kill(['server']);
    case 'both':
      return lab.kill(plan.victims.length > 1 ? plan.victims : ['suricata', 'server'], plan.delayMs / 4);
    case 'rotation':
      await lab.rotated();
      await lab.pass(plan.delayMs);
      return lab.kill(plan.victims);
    case 'journal':
      await lab.journalChanged();
      await lab.pass(plan.delayMs / 4);
      return lab.kill(plan.victims);
    case 'reading':
      await lab.kill(['server']);
      for (let i = 0; i < plan.times; i++) await lab.killStarting(plan.delayMs);
      return;
    case 'delete':
      await lab.beginDelete();
      await lab.pass(plan.delayMs * 5);
      return lab.kill(['server']);
    case 'stop':
      return lab.stopServer();
  }
};

const lives = planOf(Number(LIVES), kinds, random);
const lab = new KillLab(random);
let life = 0;
try {
  await lab.open();
  for (const plan of lives) {
    life++;
    lab.beginLoad(plan.burstMax);
    await lab.pass(plan.loadMs);
    await kill(lab, plan);
    const faults = await lab.settle(plan.kind === 'delete');
    say({life, seed, ...plan, ...lab.figures(), faults});
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }
  const exact = await lab.exactly(500);
  if (exact.length > 0) throw new Error(exact.join('\n'));
  say({seed, lives: life, ...lab.totals()});
} catch (error) {
  say({seed, life, failed: error instanceof Error ? (error.stack ?? error.message) : String(error), log: lab.log()});
  process.exitCode = 1;
} finally {
  await lab.close(KEEP === '1');
}
