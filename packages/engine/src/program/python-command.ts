// SPDX-License-Identifier: Apache-2.0
/**
 * A Python program runs through a small runner on the SDK's public functions: the CLI's own executor is not in the PyPI package.
 * Python is that of `runtime.options.virtualenv`, else of a virtual environment in force (VIRTUAL_ENV), else `python3` on PATH.
 */
import {existsSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {EngineError} from '../engine-error.ts';
import type {Project} from '../workspace/project.ts';
import type {Command, ProgramPlace, ProgramRun} from './run-program.ts';

const PYTHON_ENTRIES = ['__main__.py', '__main__.pyc'];
const RUNNER = fileURLToPath(new URL('./run_python_program.py', import.meta.url));

export function pythonCommand(run: ProgramRun): Command {
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
  throw new EngineError(
    `there is no __main__.py in ${folder}: write the program there, or name its file with main in ${file}`,
  );
}

/** The interpreter. Throws EngineError when `runtime.options.virtualenv` has none. */
export function findPython(run: Pick<ProgramRun, 'project' | 'env'>): string {
  const {virtualenv} = run.project.runtime.options as {virtualenv?: unknown};
  if (typeof virtualenv === 'string' && virtualenv !== '') {
    const folder = isAbsolute(virtualenv) ? virtualenv : join(run.project.folder, virtualenv);
    const python = join(folder, 'bin', 'python');
    if (!existsSync(python))
      throw new EngineError(
        `${run.project.file}: runtime.options.virtualenv: there is no ${python}; make it with python3 -m venv`,
      );
    return python;
  }
  const active = run.env['VIRTUAL_ENV'];
  if (active !== undefined && existsSync(join(active, 'bin', 'python'))) return join(active, 'bin', 'python');
  return 'python3';
}
