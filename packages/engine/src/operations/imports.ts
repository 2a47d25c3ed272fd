// SPDX-License-Identifier: Apache-2.0
/** Import of existing objects: what is to be done, and afterwards the code that declares them. */
import {idOfImport} from '../deploy/steps/import-planned.ts';
import {programCode} from '../program-code/declaration.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {languageOf} from '../workspace/language.ts';
import {type ImportList, type Resolved, resolveImports} from './import-list.ts';
import type {Workspace} from './workspace.ts';

/** By URN. */
type States = ReadonlyMap<string, ResourceState>;

export type ImportPlan = Resolved & {readonly before: States};

/** `withCode`: refuses a program whose language no code can be made for. */
export async function planImport(
  workspace: Workspace,
  list: ImportList,
  {protect, withCode}: {readonly protect: boolean; readonly withCode: boolean},
): Promise<ImportPlan> {
  const ref = await workspace.currentStack();
  const resolved = resolveImports(list, {stack: ref.name, project: ref.project, protect});
  if (withCode) languageOf(workspace.project);
  return {...resolved, before: await liveStates(workspace)};
}

async function liveStates(workspace: Workspace): Promise<States> {
  const {resources} = (await workspace.openStack(await workspace.currentStack())).state;
  return new Map(resources.filter(state => !state.delete).map(state => [state.urn, state]));
}

/**
 * Code for what is in the state now: of an import that failed half-way too, but not of another object that had the name before.
 * Undefined: nothing was imported.
 */
export async function codeOfImport(
  workspace: Workspace,
  {imports, names, before}: ImportPlan,
): Promise<{code: string; isProtected: boolean} | undefined> {
  const now = await liveStates(workspace);
  const states = imports.flatMap(({urn, id}) => {
    const [old, state] = [before.get(urn), now.get(urn)];
    return state === undefined || (old !== undefined && idOfImport(old) !== id) ? [] : [state];
  });
  if (states.length === 0) return undefined;
  const {providers, project} = workspace;
  const code = programCode(states, {names, factories: providers, language: languageOf(project)});
  return {code, isProtected: states.some(({protect}) => protect)};
}
