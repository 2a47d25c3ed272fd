// SPDX-License-Identifier: Apache-2.0
/** Runs the user's program as a process of its own against a monitor server, and says how it ended. */
import {type ChildProcess, spawn} from 'node:child_process';
import {statSync} from 'node:fs';
import {basename, dirname, isAbsolute, join} from 'node:path';
import {createInterface} from 'node:readline';
import type {Env} from '../backend/backend-url.ts';
import {ORGANIZATION} from '../backend/stack-reference.ts';
import {EngineError} from '../engine-error.ts';
import {judgeKeys} from '../workspace/key-rules.ts';
import {RUNTIME_OPTIONS} from '../workspace/known-keys.ts';
import {languageOf} from '../workspace/language.ts';
import type {Project} from '../workspace/project.ts';
import {assertNodeEntry, findNodeRunner, nodeArguments, nodeCommand} from './node-command.ts';
import type {Command, ProgramPlace, ProgramRun} from './program-run.ts';
import {assertPythonEntry, findPython, pythonCommand} from './python-command.ts';

/** The SDK has reported the error itself, through Engine.Log. */
const EXIT_ALREADY_LOGGED = 32;
/** Last lines of a program that broke down without a word to the engine. */
const TAIL_LINES_MAX = 40;

export type ProgramEnd =
  | {readonly ok: true}
  | {readonly ok: false; readonly loggedAlready: boolean; readonly message: string};

/** A line of the program; `isError`: from its standard error. */
export type LineSink = (line: string, isError: boolean) => void;

export type RunningProgram = {
  readonly ended: Promise<ProgramEnd>;
  /** Ends it at once, with everything it started. */
  readonly kill: () => void;
};

/** Where a program with this `main` runs and how it is called there. Ref: Pulumi getPwdMain. */
export function programFolder(project: Project): ProgramPlace {
  if (project.main === '') return {folder: project.folder, main: '.'};
  const path = isAbsolute(project.main) ? project.main : join(project.folder, project.main);
  const found = statSync(path, {throwIfNoEntry: false});
  if (found === undefined)
    throw new EngineError(`${project.file}: main: ${path} does not exist: write or build it, or name another file`);
  return found.isDirectory() ? {folder: path, main: '.'} : {folder: dirname(path), main: basename(path)};
}

/** Throws EngineError when an option of the runtime is refused, or the program's entry point or what runs it is not there. Starts nothing. */
export function checkProgram(project: Project, env: Env): void {
  const language = languageOf(project);
  const {wrong, refused} = judgeKeys(project.runtime.options, RUNTIME_OPTIONS[language], {
    isOpen: false,
    at: 'runtime.options.',
  });
  const faults = [...wrong, ...refused].map(fault => `${project.file}: ${fault}`);
  if (faults.length > 0) throw new EngineError(faults.join('\n'));
  const place = programFolder(project);
  if (language === 'nodejs') {
    assertNodeEntry(project, place);
    findNodeRunner(place.folder);
    nodeArguments(project);
  } else {
    assertPythonEntry(project, place);
    findPython({project, env, folder: place.folder});
  }
}

export function startProgram(
  run: Omit<ProgramRun, 'folder' | 'main' | 'organization'>,
  onLine: LineSink,
): RunningProgram {
  const {folder, main} = programFolder(run.project);
  const full: ProgramRun = {...run, folder, main, organization: ORGANIZATION};
  const command = languageOf(run.project) === 'nodejs' ? nodeCommand(full) : pythonCommand(full);
  const child = spawn(command.file, command.args, {
    cwd: folder,
    env: {...run.env, ...command.env} as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its own process group: Ctrl-C reaches the engine, which ends the program in order
  });
  return {ended: endOf(child, command, onLine), kill: () => killGroup(child)};
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function endOf(child: ChildProcess, command: Command, onLine: LineSink): Promise<ProgramEnd> {
  const tail: string[] = [];
  const readers = [child.stdout, child.stderr].map(stream =>
    readLines(stream, line => {
      tail.push(line);
      if (tail.length > TAIL_LINES_MAX) tail.shift();
      onLine(line, stream === child.stderr);
    }),
  );
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', cause => reject(new EngineError(`could not start ${command.file}: ${cause.message}`, {cause})));
    child.once('exit', (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
  });
  await Promise.all(readers);
  if (code === 0) return {ok: true};
  const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
  return {ok: false, loggedAlready: code === EXIT_ALREADY_LOGGED, message: `the program ${how}`};
}

async function readLines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): Promise<void> {
  if (stream === null) return;
  for await (const line of createInterface({input: stream, crlfDelay: Number.POSITIVE_INFINITY})) onLine(line);
}
