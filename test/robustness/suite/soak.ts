// SPDX-License-Identifier: Apache-2.0
/**
 * The long form of the suite: lives of all subjects in turn, for so many minutes, then one table. In a short time lives are short, but
 * each subject gets one. Exit code 1 with the seeds and the data folders of violations. Run by `make soak MINUTES=N`.
 *
 *   node test/robustness/suite/soak.ts --minutes 20 [--subject store]
 *   PALISADE_SEED=7 node test/robustness/suite/soak.ts --subject store     this one life, with its steps
 */
import {randomInt} from 'node:crypto';
import {parseArgs} from 'node:util';
import {whyNoDisk} from '../disk/faulty-disk.ts';
import {runLife} from './life.ts';
import {isViolated, linesOf, Report} from './report.ts';
import type {Subject} from './subject.ts';
import {SUBJECTS} from './subjects.ts';
import {runTurns} from './turns.ts';

const ROUNDS = 8;
const SEEDS = 1_000_000;

const {values} = parseArgs({
  options: {minutes: {type: 'string', default: '10'}, subject: {type: 'string', multiple: true}},
});
const minutes = Number(values.minutes);
const names = values.subject ?? SUBJECTS.map(({name}) => name);
const subjects = SUBJECTS.filter(({name}) => names.includes(name));
if (!(minutes > 0) || subjects.length < names.length) {
  process.stderr.write(
    `usage: --minutes N (more than 0), --subject one of ${SUBJECTS.map(({name}) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const seedText = process.env['PALISADE_SEED'];
const seed = seedText === undefined ? randomInt(SEEDS) : Number(seedText);
const whyNot = whyNoDisk();
say(
  `robustness suite: PALISADE_SEED=${seed}, ${subjects.map(({name}) => name).join(', ')}, ${seedText === undefined ? `${minutes} minutes` : 'one life of each'}`,
);
if (whyNot !== undefined) say(`no power loss, faults of the disk and of the clock: ${whyNot}`);

const report = new Report();
const live = async (subject: Subject, of: {turn: number; endMs?: number}): Promise<void> => {
  const life = await runLife(subject, seed + of.turn, {rounds: ROUNDS, endMs: of.endMs});
  report.add(life);
  say(linesOf(life));
  const {done, planned} = life.rounds;
  if (done < planned) say(`  ${done} of ${planned} rounds: its share of the time was over`);
  if (seedText !== undefined && !isViolated(life)) say(life.story.map(line => `  ${line}`).join('\n'));
};
if (seedText !== undefined) for (const subject of subjects) await live(subject, {turn: 0});
else await runTurns(subjects, {untilMs: Date.now() + minutes * 60_000, now: Date.now, live});
say(`\n${report.table()}`);
process.exitCode = report.isClean ? 0 : 1;
