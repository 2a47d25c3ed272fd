// SPDX-License-Identifier: Apache-2.0
import {EngineError} from '../engine-error.ts';
import {isPlainName, PLAIN_NAME_RULE} from './plain-name.ts';

/** File backends know one organization. */
export const ORGANIZATION = 'organization';

export type StackReference = {readonly project: string; readonly name: string};

export const qualifiedName = (ref: StackReference): string => `${ORGANIZATION}/${ref.project}/${ref.name}`;

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
  return checkedReference({project, name});
}

/** The reference itself. Throws EngineError for a name that is not a plain one. */
export function checkedReference(ref: StackReference): StackReference {
  if (!isPlainName(ref.name)) throw new EngineError(`stack name "${ref.name}": ${PLAIN_NAME_RULE}`);
  if (!isPlainName(ref.project)) throw new EngineError(`project name "${ref.project}": ${PLAIN_NAME_RULE}`);
  return ref;
}
