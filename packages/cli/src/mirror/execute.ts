// SPDX-License-Identifier: Apache-2.0
/** Runs the commands of a plan: all of them or, when one fails, none. */
import {writeFile} from 'node:fs/promises';
import {commandLine, type Step} from '@palisade/ids-wire/mirror';
import {NOT_FOUND, type ProgramResult, type RunProgram} from '@palisade/server/run-program';

export class MirrorError extends Error {
  override readonly name = 'MirrorError';
  readonly isForbidden: boolean;

  constructor(message: string, isForbidden: boolean) {
    super(message);
    this.isForbidden = isForbidden;
  }
}

const FORBIDDEN = /not permitted|EPERM|EACCES|permission denied/i;
const KERNEL_LACKS =
  /Unknown device type|Failed to load TC action module|Specified qdisc kind is unknown|kind is unknown/;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [KERNEL_LACKS, 'this kernel lacks it: needed are vxlan, veth, sch_ingress, cls_u32 and act_mirred'],
  [
    /specified VNI already exists/,
    'another vxlan device of this network namespace has this VNI: mirror from another namespace or host',
  ],
  [/Address already in use/, 'another program or device has this UDP port'],
  [/Exclusivity flag on|File exists/, 'another program made the same meanwhile: run the command again'],
];

const faultOf = (argv: readonly string[], {stderr, code}: ProgramResult): MirrorError => {
  const said = stderr.trim().split('\n')[0] ?? '';
  const hint = HINTS.find(([pattern]) => pattern.test(stderr))?.[1];
  return new MirrorError(
    `${commandLine(argv)}: ${said === '' ? `exit code ${code}` : said}${hint === undefined ? '' : `; ${hint}`}`,
    FORBIDDEN.test(stderr),
  );
};

/** A setting is a file, so that no `sysctl` has to be installed. Ref: proc(5), /proc/sys. */
const writeSetting = async (assignment: string): Promise<ProgramResult> => {
  const [key = '', value = ''] = assignment.split('=');
  try {
    await writeFile(`/proc/sys/${key.replaceAll('.', '/')}`, value);
    return {code: 0, stdout: '', stderr: ''};
  } catch (error) {
    const {code, message} = error as NodeJS.ErrnoException;
    return {code: code === 'ENOENT' ? NOT_FOUND : 1, stdout: '', stderr: message};
  }
};

const perform = (run: RunProgram, argv: readonly string[]): Promise<ProgramResult> =>
  argv[0] === 'sysctl' ? writeSetting(argv.at(-1) ?? '') : run(argv);

const undo = async (run: RunProgram, done: readonly Step[]): Promise<readonly string[]> => {
  const left: string[] = [];
  for (const {undo: argv} of done.toReversed()) {
    if (argv === undefined) continue;
    const {code, stderr} = await run(argv);
    if (code !== 0) left.push(`${commandLine(argv)}: ${stderr.trim()}`);
  }
  return left;
};

/** Throws MirrorError; then every step that was done has been undone, or the message says which was not. */
export const executeAll = async (run: RunProgram, steps: readonly Step[]): Promise<void> => {
  const done: Step[] = [];
  for (const step of steps) {
    const result = await perform(run, step.argv);
    if (result.code === 0) done.push(step);
    else if (step.isOptional !== true) {
      const fault = faultOf(step.argv, result);
      const left = await undo(run, done);
      if (left.length === 0) throw fault;
      throw new MirrorError([fault.message, ...left.map(line => `not undone: ${line}`)].join('\n'), fault.isForbidden);
    }
  }
};

/** Runs every step, whatever fails. Throws MirrorError with all faults. */
export const executeEach = async (run: RunProgram, steps: readonly Step[]): Promise<void> => {
  const faults: MirrorError[] = [];
  for (const step of steps) {
    const result = await perform(run, step.argv);
    if (result.code !== 0 && step.isOptional !== true) faults.push(faultOf(step.argv, result));
  }
  if (faults.length > 0)
    throw new MirrorError(
      faults.map(({message}) => message).join('\n'),
      faults.some(({isForbidden}) => isForbidden),
    );
};
