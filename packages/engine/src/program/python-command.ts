// SPDX-License-Identifier: Apache-2.0
/**
 * A Python program runs through a small runner on the SDK's public functions: the CLI's own executor is not in the PyPI package.
 * Python is that of `runtime.options.virtualenv`, else with `toolchain: uv` that of uv's environment, else of the active virtual
 * environment (VIRTUAL_ENV), else PULUMI_PYTHON_CMD or `python3` on PATH. `runtime.options.typechecker` runs before the program.
 */
import {existsSync} from 'node:fs';
import {dirname, isAbsolute, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {EngineError} from '../engine-error.ts';
import type {Project} from '../workspace/project.ts';
import type {Command, ProgramPlace, ProgramRun} from './program-run.ts';

const PYTHON_ENTRIES = ['__main__.py', '__main__.pyc'];
const RUNNER = fileURLToPath(new URL('./run_python_program.py', import.meta.url));

export function pythonCommand(run: ProgramRun): Command {
  const {typechecker} = run.project.runtime.options;
  return {
    file: findPython(run),
    args: [
      RUNNER,
      '--monitor', run.monitor,
      '--engine', run.monitor,
      '--organization', run.organization,
      '--project', run.project.name,
      '--root_directory', run.project.folder,
      '--stack', run.stack,
      '--dry_run', String(run.dryRun),
      '--parallel', String(run.parallel),
      ...(typeof typechecker === 'string' ? typecheckerArguments(run, typechecker) : []),
      run.main,
    ], // biome-ignore format: pairs
    env: {
      PULUMI_CONFIG: JSON.stringify(run.config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.secretKeys),
      PYTHONUNBUFFERED: '1',
    },
  };
}

/** Throws EngineError when a folder that is the program has no file that Python begins with. */
export function assertPythonEntry({file}: Project, {folder, main}: ProgramPlace): void {
  if (main !== '.' || PYTHON_ENTRIES.some(name => existsSync(join(folder, name)))) return;
  throw new EngineError(`no __main__.py in ${folder}: write the program there, or name its file with main in ${file}`);
}

/** mypy would judge the packages of an environment inside the program's folder too. Ref: pulumi-language-python Run. */
function typecheckerArguments(run: ProgramRun, name: string): string[] {
  const environment = virtualEnvironment(run);
  const exclude = environment === undefined ? [] : ['--exclude', relative(run.folder, environment.folder)];
  return ['--typechecker', name, ...(name === 'mypy' ? exclude : [])];
}

type Place = Pick<ProgramRun, 'project' | 'env' | 'folder'>;

/** The interpreter. Throws EngineError when the virtual environment that Pulumi.yaml means has none. */
export function findPython(run: Place): string {
  const environment = virtualEnvironment(run);
  if (environment === undefined) return run.env['PULUMI_PYTHON_CMD'] || 'python3';
  const python = join(environment.folder, 'bin', 'python');
  if (existsSync(python)) return python;
  throw new EngineError(
    `${run.project.file}: runtime.options.${environment.option}: ${python} does not exist; create it with ${environment.make}`,
  );
}

/** `option`: the one that means it; `make`: the command that makes it. */
type VirtualEnvironment = {readonly folder: string; readonly option: string; readonly make: string};

function virtualEnvironment(run: Place): VirtualEnvironment | undefined {
  const {virtualenv, toolchain} = run.project.runtime.options;
  const isUv = toolchain === 'uv';
  const make = isUv ? 'uv sync' : 'python3 -m venv';
  const below = (base: string, path: string) => (isAbsolute(path) ? path : join(base, path));
  if (typeof virtualenv === 'string' && virtualenv !== '')
    return {folder: below(run.project.folder, virtualenv), option: 'virtualenv', make};
  if (isUv) {
    const path = run.env['UV_PROJECT_ENVIRONMENT'] || '.venv';
    return {folder: below(uvFolder(run.folder), path), option: 'toolchain', make};
  }
  const active = run.env['VIRTUAL_ENV'];
  return active !== undefined && existsSync(join(active, 'bin', 'python'))
    ? {folder: active, option: 'virtualenv', make}
    : undefined;
}

/** The nearest folder with a uv.lock, else with a pyproject.toml, else that of the program. Ref: Pulumi toolchain/uv.go newUv. */
function uvFolder(folder: string): string {
  return nearestWith(folder, 'uv.lock') ?? nearestWith(folder, 'pyproject.toml') ?? folder;
}

function nearestWith(folder: string, name: string): string | undefined {
  if (existsSync(join(folder, name))) return folder;
  return dirname(folder) === folder ? undefined : nearestWith(dirname(folder), name);
}
