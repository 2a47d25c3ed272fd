// SPDX-License-Identifier: Apache-2.0
/** Edits of the state that ask nothing of a provider; the objects themselves stay as they are. */
import {EngineError} from '../engine-error.ts';
import {nearUrn} from '../nearest.ts';
import {removeResources, renameResource, resourceOf} from '../state/edit.ts';
import {assertSound, integrityFaults} from '../state/integrity.ts';
import {repaired} from '../state/repair.ts';
import {holdsSealedSecrets} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {saveDeployment} from './save-deployment.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

type Resources = readonly ResourceState[];

/** Asked before the state is read; undefined as a result of an edit: it was not given. */
type Consent = {readonly consent: () => Promise<boolean>};

/** URNs, or all resources. */
export type Chosen = readonly string[] | 'all';

/** `edit` returns the state that is to be; what it throws leaves the stored one as it is. False: the user declined. */
async function editState(
  workspace: Workspace,
  {consent}: Consent,
  edit: (resources: Resources) => Resources,
): Promise<boolean> {
  const ref = await workspace.currentStack();
  if (!(await consent())) return false;
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    const stored = await backend.load(ref);
    const stack = await workspace.openStack(ref, {mayBeUnsound: true}); // a broken state may be what is mended here
    const resources = edit(stack.state.resources);
    assertSound(resources);
    if (holdsSealedSecrets(stored)) await unlockSecrets(stack);
    await saveDeployment(workspace, stack, {...stack.state, resources}, {manifest: stored?.['manifest']});
  } finally {
    await lock.release();
  }
  return true;
}

type DeleteOptions = Consent & {
  /** Protected resources too. */
  readonly force?: boolean;
  /** What depends on them too. */
  readonly dependents?: boolean;
};

/** Resolves to the number of deleted resources. */
export async function deleteFromState(
  workspace: Workspace,
  urns: Chosen,
  options: DeleteOptions,
): Promise<number | undefined> {
  const onProtected = ({urn}: ResourceState): void => {
    if (options.force !== true) throw new EngineError(`${urn} is protected; use --force to delete it from the state`);
    workspace.note(`warning: deleting protected resource ${urn} due to presence of --force`);
  };
  let count = 0;
  const done = await editState(workspace, options, resources => {
    const condemned = new Set(urns === 'all' ? resources : urns.map(urn => found(resources, urn)));
    const left = removeResources(resources, condemned, {dependents: options.dependents === true, onProtected});
    count = resources.length - left.length;
    return left;
  });
  return done ? count : undefined;
}

/** Resolves to the number of resources. */
export async function protectInState(
  workspace: Workspace,
  urns: Chosen,
  options: Consent & {readonly protect: boolean},
): Promise<number | undefined> {
  let count = 0;
  const done = await editState(workspace, options, resources => {
    const live = resources.filter(state => !state.delete);
    const chosen = urns === 'all' ? live : [...new Set(urns)].map(urn => found(live, urn));
    for (const state of chosen) state.protect = options.protect;
    count = chosen.length;
    return resources;
  });
  return done ? count : undefined;
}

export const renameInState = (
  workspace: Workspace,
  {urn, name, ...consent}: Consent & {readonly urn: string; readonly name: string},
): Promise<boolean> =>
  editState(workspace, consent, resources => {
    renameResource(resources, found(resources, urn), name);
    return resources;
  });

/** Resolves to what did not fit together and was mended. Ref: Pulumi cmd/pulumi/state state_repair.go. */
export async function repairState(workspace: Workspace, consent: Consent): Promise<readonly string[] | undefined> {
  let faults: readonly string[] = [];
  const done = await editState(workspace, consent, resources => {
    faults = integrityFaults(resources);
    return faults.length === 0 ? resources : repaired(resources);
  });
  return done ? faults : undefined;
}

/** How to find a URN. */
export const LIST_URNS = '`palisade stack --show-urns` lists them';

function found(resources: Resources, urn: string): ResourceState {
  const near = nearUrn(
    urn,
    resources.map(state => state.urn),
  );
  return resourceOf({resources, urn, hint: near === undefined ? LIST_URNS : `did you mean '${near}'?`});
}
