// SPDX-License-Identifier: Apache-2.0
/** `palisade state …`: edits of the state that ask nothing of a provider; the objects themselves stay as they are. */
import {EngineError, UsageError} from '../engine-error.ts';
import {nearUrn} from '../nearest.ts';
import {removeResources, renameResource, resourceOf} from '../state/edit.ts';
import {assertSound, integrityFaults, mendedLines} from '../state/integrity.ts';
import {repaired} from '../state/repair.ts';
import {holdsSealedSecrets} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {isUrn, urnName} from '../state/urn.ts';
import {confirmEdit} from './confirm.ts';
import {EXIT} from './io.ts';
import {saveDeployment} from './stack-commands.ts';
import {unlockSecrets, type Workspace} from './workspace-context.ts';

type Resources = readonly ResourceState[];

const QUESTION = "This command will edit your stack's state directly. Confirm?";
const PROTECT_QUESTION =
  "This edits your stack's state directly: the next `palisade up` takes the protection away again unless the program sets it too. Confirm?";

/** `edit` returns the state that is to be; what it throws leaves the stored one as it is. False: the user declined. */
async function editState(
  workspace: Workspace,
  edit: (resources: Resources) => Resources,
  question = QUESTION,
): Promise<boolean> {
  const ref = await workspace.currentStack();
  if (!(await confirmEdit(workspace, question))) return false;
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

export async function stateDelete(workspace: Workspace, urns: readonly string[]): Promise<number> {
  const {flags} = workspace;
  const all = urnsOrAll(workspace, urns, 'delete');
  const onProtected = ({urn}: ResourceState): void => {
    if (!flags.on('force'))
      throw new EngineError(`${urn} is protected; --force deletes it from the state all the same`);
    workspace.note(`warning: deleting protected resource ${urn} due to presence of --force`);
  };
  let count = 0;
  const done = await editState(workspace, resources => {
    const condemned = new Set(all ? resources : urns.map(urn => found(resources, urn)));
    const left = removeResources(resources, condemned, {dependents: flags.on('target-dependents'), onProtected});
    count = resources.length - left.length;
    return left;
  });
  if (done) workspace.note(`${counted(count)} deleted from the state`);
  return done ? EXIT.ok : EXIT.failed;
}

export const stateProtect = (workspace: Workspace, urns: readonly string[]): Promise<number> =>
  setProtection(workspace, urns, true);

export const stateUnprotect = (workspace: Workspace, urns: readonly string[]): Promise<number> =>
  setProtection(workspace, urns, false);

async function setProtection(workspace: Workspace, urns: readonly string[], protect: boolean): Promise<number> {
  const word = protect ? 'protect' : 'unprotect';
  const all = urnsOrAll(workspace, urns, word);
  let count = 0;
  const done = await editState(
    workspace,
    resources => {
      const live = resources.filter(state => !state.delete);
      const chosen = all ? live : [...new Set(urns)].map(urn => found(live, urn));
      for (const state of chosen) state.protect = protect;
      count = chosen.length;
      return resources;
    },
    protect ? PROTECT_QUESTION : QUESTION,
  );
  if (done) workspace.note(`${counted(count)} ${word}ed`);
  return done ? EXIT.ok : EXIT.failed;
}

export async function stateRename(workspace: Workspace, [urn, name = '']: readonly string[]): Promise<number> {
  if (urn === undefined || name === '')
    throw new UsageError('a URN and the new name are needed: palisade state rename URN NAME');
  assertUrns([urn]);
  const done = await editState(workspace, resources => {
    renameResource(resources, found(resources, urn), name);
    return resources;
  });
  if (done) workspace.note(`Renamed ${urnName(urn)} to ${name}`);
  return done ? EXIT.ok : EXIT.failed;
}

/** Ref: Pulumi cmd/pulumi/state state_repair.go. */
export async function stateRepair(workspace: Workspace): Promise<number> {
  let faults: readonly string[] = [];
  const done = await editState(workspace, resources => {
    faults = integrityFaults(resources);
    return faults.length === 0 ? resources : repaired(resources);
  });
  if (!done) return EXIT.failed;
  for (const line of mendedLines(faults)) workspace.note(line);
  if (faults.length === 0) workspace.note('The state fits together: nothing was changed');
  return EXIT.ok;
}

/** True for `--all`. */
function urnsOrAll({flags}: Workspace, urns: readonly string[], verb: string): boolean {
  const all = flags.on('all');
  if (all && urns.length > 0) throw new UsageError('give either URNs or --all');
  if (!all && urns.length === 0) throw new UsageError(`a URN is needed: palisade state ${verb} URN…, or --all`);
  assertUrns(urns);
  return all;
}

const LIST = '`palisade stack --show-urns` lists those there are';

function assertUrns(urns: readonly string[]): void {
  const wrong = urns.filter(urn => !isUrn(urn));
  if (wrong.length > 0) throw new UsageError(wrong.map(urn => `'${urn}' is not a URN; ${LIST}`).join('\n'));
}

function found(resources: Resources, urn: string): ResourceState {
  const near = nearUrn(
    urn,
    resources.map(state => state.urn),
  );
  return resourceOf({resources, urn, hint: near === undefined ? LIST : `did you mean '${near}'?`});
}

const counted = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;
