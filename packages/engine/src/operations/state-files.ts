// SPDX-License-Identifier: Apache-2.0
/** The state of a stack as a file: export, and import of one that was exported here or by the Pulumi CLI. */
import type {StackReference} from '../backend/stack-reference.ts';
import {EngineError, StateFault} from '../engine-error.ts';
import {
  deploymentToJson,
  manifestAt,
  readDeployment,
  readWithoutSecrets,
  saltOf,
  sealNothing,
} from '../state/deployment-file.ts';
import {assertSound, faultLines, integrityFaults, mendedLines} from '../state/integrity.ts';
import {repaired} from '../state/repair.ts';
import {holdsSealedSecrets, isJsonObject, type JsonObject} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {atNewest, DEPLOYMENT_VERSION} from '../state/state-format.ts';
import {parseUrn} from '../state/urn.ts';
import {saveDeployment} from './save-deployment.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

const INDENT = 4;
const EPOCH = '0001-01-01T00:00:00Z';

/** `warning`: the state does not fit together; no failure, as it can be corrected in the text. */
export type ExportedState = {readonly text: string; readonly warning: string | undefined};

export async function exportState(workspace: Workspace, {showSecrets = false} = {}): Promise<ExportedState> {
  const ref = await workspace.currentStack();
  const backend = await workspace.backend();
  const stored = await backend.load(ref);
  let deployment: JsonObject = stored ?? {manifest: {time: EPOCH, magic: '', version: ''}};
  if (stored !== undefined && showSecrets) {
    const {state, secrets} = await workspace.openStack(ref, {mayBeUnsound: true});
    const manifest = stored['manifest'] ?? manifestAt(EPOCH);
    deployment = {...deploymentToJson(state, {time: EPOCH, salt: secrets.state, seal: sealNothing}), manifest};
  }
  const text = `${JSON.stringify({version: DEPLOYMENT_VERSION, deployment}, undefined, INDENT)}\n`;
  try {
    assertSound(readWithoutSecrets(stored).resources, '');
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    return {text, warning: backend.faultText(ref, error)};
  }
  return {text, warning: undefined};
}

/** `read`: gives what `exportState` or the Pulumi CLI wrote. `force`: also a state of another stack, and one that has to be mended. */
export async function importState(
  workspace: Workspace,
  read: () => Promise<string>,
  {force = false} = {},
): Promise<void> {
  const ref = await workspace.currentStack({isNew: true});
  const deployment = parseExport(await read());
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    const stack = await workspace.openToReplace(ref);
    const salt = saltOf(deployment);
    const reader = salt === undefined ? stack.secrets : workspace.secretsManager(salt);
    const given = await readDeployment(deployment, reader).catch(error => {
      if (!(error instanceof StateFault)) throw error;
      throw new EngineError(`could not read the deployment: ${error.message}`, {cause: error});
    });
    const {resources, notes} = soundResources(ref, given.resources, force);
    if (holdsSealedSecrets(deployment)) await unlockSecrets(stack);
    const after = counted(resources.length);
    const state = {...given, resources};
    if (stack.state === undefined) {
      const keepPrevious = backend.unreadableFile(ref);
      await saveDeployment(workspace, stack, state, {keepPrevious});
      workspace.note(`Stack '${ref.name}' has ${after} now.`);
      workspace.note(`The previous state, which could not be read, is kept in ${keepPrevious}`);
    } else {
      const before = stack.state.resources.length;
      const backup = before === 0 ? undefined : await backend.backUp(ref);
      await saveDeployment(workspace, stack, state);
      workspace.note(`Stack '${ref.name}' had ${counted(before)} and has ${after} now.`);
      if (backup !== undefined) workspace.note(`The previous state is kept in ${backup}`);
    }
    for (const note of notes) workspace.note(note);
  } finally {
    await lock.release();
  }
}

const counted = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;

/** Anything else must not count as an empty deployment: the stack would lose all it has. */
function parseExport(text: string): JsonObject {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw new EngineError('could not read the deployment: it is not JSON', {cause});
  }
  if (!isJsonObject(file)) throw new EngineError('could not read the deployment: it is not an object');
  const deployment = file['deployment'];
  if (!isJsonObject(deployment)) throw new EngineError('could not read the deployment: it has no "deployment"');
  try {
    return atNewest(deployment, file['version']);
  } catch (cause) {
    throw cause instanceof StateFault ? new EngineError(`could not read the deployment: ${cause.message}`) : cause;
  }
}

/**
 * What is to be stored: with --force also of another stack, and mended where it does not fit together; `notes` say what was mended.
 * Throws for the rest.
 */
function soundResources(
  ref: StackReference,
  resources: readonly ResourceState[],
  force: boolean,
): {readonly resources: readonly ResourceState[]; readonly notes: readonly string[]} {
  const faults = integrityFaults(resources);
  const foreign = resources.flatMap(({urn}) => {
    const {stack, project} = parseUrn(urn);
    if (stack === ref.name && project === ref.project) return [];
    return `resource '${urn}' is from a different stack (${project}/${stack} is not ${ref.project}/${ref.name})`;
  });
  if (faults.length + foreign.length === 0) return {resources, notes: []};
  if (!force)
    throw new EngineError(
      `importing this file could be dangerous; rerun with --force to proceed anyway:\n${[...faults, ...foreign].join('\n')}`,
    );
  const mended = repaired(resources);
  const left = integrityFaults(mended);
  if (left.length > 0)
    throw new EngineError(
      `the deployment is inconsistent and was not imported:\n${faultLines(left)}\ncorrect the file`,
    );
  return {resources: mended, notes: [...mendedLines(faults), ...foreign.map(line => `warning: ${line}`)]};
}
