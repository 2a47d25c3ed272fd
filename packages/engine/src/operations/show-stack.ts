// SPDX-License-Identifier: Apache-2.0
/** What the state and the history of a stack hold. */
import type {PropertyMap} from '@palisade/provider';
import type {UpdateRecord} from '../backend/file-backend.ts';
import {qualifiedName} from '../backend/stack-reference.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {ROOT_STACK_TYPE} from '../state/urn.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

export type ShownStack = {
  readonly name: string;
  /** `organization/PROJECT/STACK`. */
  readonly qualifiedName: string;
  readonly resources: readonly ResourceState[];
  /** Secrets wrapped. */
  readonly outputs: PropertyMap;
};

export async function showStack(workspace: Workspace): Promise<ShownStack> {
  const ref = await workspace.currentStack();
  const {resources} = (await workspace.openStack(ref)).state;
  const root = resources.find(resource => resource.type === ROOT_STACK_TYPE && !resource.delete);
  return {name: ref.name, qualifiedName: qualifiedName(ref), resources, outputs: root?.outputs ?? {}};
}

/** Newest first. */
export const stackHistory = async (workspace: Workspace): Promise<readonly UpdateRecord[]> =>
  (await workspace.backend()).history(await workspace.currentStack());

/** Decrypts values of the current stack. */
export async function decrypter(workspace: Workspace): Promise<(sealed: string) => string> {
  const stack = await workspace.openStack(await workspace.currentStack());
  await unlockSecrets(stack);
  return sealed => stack.secrets.decrypt(sealed);
}
