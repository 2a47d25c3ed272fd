// SPDX-License-Identifier: Apache-2.0
/**
 * Fuzzes the decoders of input that others write.
 *
 *   node test/fuzz/run.ts --minutes 10            all targets, for 10 minutes in all, guided by coverage
 *   node test/fuzz/run.ts --target kube-json …    one target, or more
 *   node test/fuzz/run.ts --executions 300        seeds, and so many mutations of each target
 *   node test/fuzz/run.ts --share-ms 50 …         no more processor time for the mutations of a target
 *   node test/fuzz/run.ts --growing …             inputs of growing length, too; with --minutes always
 *   node test/fuzz/run.ts --seed 7 …              repeats a run
 *   node test/fuzz/run.ts --target T --input FILE one input
 *
 * Exit 1 on findings; with --minutes each is kept as test/fuzz/corpus/TARGET/found-….
 */
import {readFileSync} from 'node:fs';
import {relative} from 'node:path';
import {parseArgs} from 'node:util';
import {keepFinding} from './frame/corpus.ts';
import {execute} from './frame/execute.ts';
import {type Finding, Fuzzer, type Result} from './frame/fuzz.ts';
import {targets} from './targets/index.ts';

const {values} = parseArgs({
  options: {
    minutes: {type: 'string'},
    executions: {type: 'string'},
    'share-ms': {type: 'string'},
    target: {type: 'string', multiple: true},
    seed: {type: 'string'},
    input: {type: 'string'},
    growing: {type: 'boolean', default: false},
    list: {type: 'boolean', default: false},
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const note = (line: string): void => void process.stderr.write(`${line}\n`);
const pad = (value: number | string, width: number): string => String(value).padStart(width);
/** With a target that takes longer there is a line of progress. */
const SLOW_MS = 3_000;
const ROUND_MS = 20_000;

const unknown = (values.target ?? []).filter(name => !targets.some(each => each.name === name));
if (unknown.length > 0) {
  note(`unknown target ${unknown.join(', ')}; use ${targets.map(({name}) => name).join(', ')}`);
  process.exit(2);
}
const numbers = ['minutes', 'executions', 'share-ms', 'seed'] as const;
for (const name of numbers) {
  const text = values[name];
  if (text === undefined || (text.trim() !== '' && Number(text) >= 0)) continue;
  note(`--${name} ${text}: must be a number`);
  process.exit(2);
}
const chosen = targets.filter(({name}) => values.target?.includes(name) ?? true);
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(values.seed);

if (values.list) for (const {name} of chosen) print(name);
else if (values.input !== undefined) await runInput(values.input);
else await runAll();

async function runInput(path: string): Promise<void> {
  for (const each of chosen) {
    const fault = await execute(each, readFileSync(path));
    print(`${each.name}: ${fault === undefined ? 'ok' : `${fault.kind}: ${fault.detail}`}`);
    if (fault !== undefined) process.exitCode = 1;
  }
}

function tell({target, fault, input, from}: Finding): void {
  note(`FINDING ${target}: ${fault.kind}: ${fault.detail}\n    from ${from}; ${input.length} bytes`);
  const path = relative(process.cwd(), keepFinding(target, fault.kind, input, values.minutes !== undefined));
  note(`    repeat: node test/fuzz/run.ts --target ${target} --input ${path}`);
}

async function runAll(): Promise<void> {
  note(`fuzz: seed ${seed}, ${chosen.length} targets`);
  const results = new Map<string, Timed>();
  const fuzzer = new Fuzzer();
  const minutes = Number(values.minutes ?? 60);
  const endMs = Date.now() + minutes * 60_000;
  const executions = values.executions === undefined ? Number.POSITIVE_INFINITY : Number(values.executions);
  for (let round = 0; round === 0 || (executions === Number.POSITIVE_INFINITY && Date.now() < endMs); round++)
    for (const [at, {name}] of chosen.entries()) {
      // Of the time that is left: a slow target takes from all that follow, not from the last ones.
      const shareMs = Math.min(ROUND_MS, Math.max(1_000, (endMs - Date.now()) / (chosen.length - at)));
      const untilMs = values.minutes === undefined ? endMs : Math.min(endMs, Date.now() + shareMs);
      const startMs = performance.now();
      const result = await fuzzer.run({
        target: name,
        seed: seed + round,
        executions,
        untilMs,
        cpuMs: Number(values['share-ms'] ?? Number.POSITIVE_INFINITY),
        growing: values.growing || values.minutes !== undefined,
        guided: values.minutes !== undefined,
        withoutSeeds: round > 0,
      });
      result.findings.forEach(tell);
      const before = results.get(name) ?? {target: name, executions: 0, kept: 0, ms: 0, findings: []};
      results.set(name, {
        target: name,
        executions: before.executions + result.executions,
        kept: Math.max(before.kept, result.kept),
        ms: before.ms + performance.now() - startMs,
        findings: [...before.findings, ...result.findings],
      });
      if (values.minutes !== undefined || performance.now() - startMs > SLOW_MS)
        note(`fuzz: ${name}: ${result.executions} executions, ${result.findings.length} findings`);
    }
  await fuzzer.close();
  summarize([...results.values()]);
}

type Timed = Result & {readonly ms: number};

function summarize(results: readonly Timed[]): void {
  const width = Math.max(...results.map(({target}) => target.length));
  print(`${'target'.padEnd(width)}  executions  findings  seconds`);
  for (const {target, executions, findings, ms} of results)
    print(
      [target.padEnd(width), pad(executions, 10), pad(findings.length, 8), pad((ms / 1000).toFixed(1), 7)].join('  '),
    );
  const sum = (of: (result: Result) => number): number => results.reduce((total, each) => total + of(each), 0);
  const found = sum(({findings}) => findings.length);
  print(
    `fuzz: seed ${seed}: ${results.length} targets, ${sum(({executions}) => executions)} executions, ${found} findings`,
  );
  if (found > 0) process.exitCode = 1;
}
