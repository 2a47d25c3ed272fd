// SPDX-License-Identifier: Apache-2.0
/** A Node program runs through the SDK's own entry point, found from the program's folder. */
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {EngineError} from '../engine-error.ts';
import type {Command, ProgramRun} from './run-program.ts';

export function nodeCommand(run: ProgramRun): Command {
  const {options} = run.project.runtime;
  const nodeArgs =
    typeof options['nodeargs'] === 'string' ? options['nodeargs'].split(/\s+/).filter(arg => arg !== '') : [];
  const args = [
    '--disable-warning=PromiseRejectionHandledWarning', // the SDK waits for some promises late, and tells what became of them
    ...nodeArgs,
    findNodeRunner(run.folder),
    '--monitor', run.monitor,
    '--engine', run.monitor,
    '--organization', run.organization,
    '--project', run.project.name,
    '--root-directory', run.project.folder,
    '--stack', run.stack,
    '--pwd', run.folder,
    ...(run.dryRun ? ['--dry-run'] : []),
    '--parallel', String(run.parallel),
    run.main,
  ]; // biome-ignore format: pairs
  return {
    file: process.execPath,
    args,
    env: {
      PULUMI_CONFIG: JSON.stringify(run.config),
      PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.secretKeys),
      PULUMI_NODEJS_TYPESCRIPT: options['typescript'] === false ? 'false' : 'true',
    },
  };
}

/** The SDK's entry point as the program's folder sees it. Throws EngineError when it is not installed. */
export function findNodeRunner(folder: string): string {
  const require = createRequire(join(folder, 'package.json'));
  try {
    return require.resolve('@pulumi/pulumi/cmd/run');
  } catch (cause) {
    throw new EngineError(
      `@pulumi/pulumi was not found from ${folder}: install the program's packages there first (npm install)`,
      {cause},
    );
  }
}
