// SPDX-License-Identifier: Apache-2.0
import {EngineError} from '../engine-error.ts';

/** File backends know one organization. */
export const ORGANIZATION = 'organization';

export type StackReference = {readonly project: string; readonly name: string};

export const qualifiedName = (ref: StackReference): string => `${ORGANIZATION}/${ref.project}/${ref.name}`;

const STACK_NAME = /^[A-Za-z0-9_.-]{1,100}$/;
const PROJECT_NAME = /^[A-Za-z0-9_.-]{1,100}$/;

/** `stack`, `organization/stack` or `organization/project/stack`. Throws with the reason. */
export function parseStackReference(text: string, currentProject: string | undefined): StackReference {
  const parts = text.split('/');
  if (parts.length > 3 || text === '') throw new EngineError(`"${text}" is not a stack name`);
  const name = parts[parts.length - 1] ?? '';
  if (parts.length > 1 && parts[0] !== ORGANIZATION)
    throw new EngineError(`stack "${text}": the organization of a file backend must be "${ORGANIZATION}"`);
  const project = parts.length === 3 ? parts[1] : currentProject;
  if (project === undefined)
    throw new EngineError(`stack "${text}": no Pulumi.yaml found; give the full name ${ORGANIZATION}/PROJECT/STACK`);
  if (!STACK_NAME.test(name))
    throw new EngineError(
      `stack name "${name}": a stack name has 1 to 100 letters, digits, hyphens, underscores and periods`,
    );
  if (!PROJECT_NAME.test(project)) throw new EngineError(`project name "${project}" is not valid`);
  return {project, name};
}
