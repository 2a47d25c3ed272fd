// SPDX-License-Identifier: Apache-2.0
/** What Pulumi.yaml asks for that this engine does not have: refused before an operation, while state and configuration can be edited. */
import type {Project} from './project.ts';
import {versionFault} from './version-range.ts';

/** One line for every fault: `<file>: <key>: why: way out`. `builtIn`: names of the packages of the engine. */
export function projectRefusals(project: Project, builtIn: readonly string[]): string[] {
  const version = project.requiredVersion === '' ? undefined : versionFault(project.requiredVersion);
  const foreign = project.packages.filter(({name}) => !builtIn.includes(name));
  return [
    ...project.refused,
    ...foreign.map(
      ({path, name}) =>
        `${path}: package "${name}" is not built into the embedded engine (built in: ${builtIn.join(', ')}): ` +
        'remove it, or use the Pulumi CLI for this project',
    ),
    ...(version === undefined ? [] : [`requiredPulumiVersion: ${version}`]),
  ].map(fault => `${project.file}: ${fault}`);
}
