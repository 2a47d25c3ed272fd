// SPDX-License-Identifier: Apache-2.0
/** The stacks of the file backend: create, list, select, rename, remove, unlock. */
import {qualifiedName, type StackReference} from '../backend/stack-reference.ts';
import {EngineError} from '../engine-error.ts';
import {deploymentToJson, EMPTY_DEPLOYMENT, sealNothing} from '../state/deployment-file.ts';
import {makeStackRenamer} from '../state/rename-stack.ts';
import {isJsonObject, type JsonObject} from '../state/resource-json.ts';
import {ROOT_STACK_TYPE} from '../state/urn.ts';
import {StackConfig} from '../workspace/stack-config.ts';
import {saveDeployment} from './save-deployment.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

/** Creates an empty stack, and selects it unless `select` is false. Resolves to its name. */
export async function createStack(workspace: Workspace, name: string, {select = true} = {}): Promise<string> {
  const ref = workspace.reference(name);
  const {project} = workspace;
  if (ref.project !== project.name)
    throw new EngineError(
      `stack ${name} names project "${ref.project}", but ${project.file} is project "${project.name}"`,
    );
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    if (await backend.exists(ref)) throw new EngineError(`stack '${ref.name}' already exists`);
    const config = await workspace.stackConfig(ref);
    const secrets = workspace.secretsManager(config.encryptionSalt);
    if (secrets.hasPassphrase) await unlockSecrets({config, secrets});
    else
      workspace.note(
        'note: this stack cannot store secrets until PULUMI_CONFIG_PASSPHRASE (or PULUMI_CONFIG_PASSPHRASE_FILE) is set',
      );
    const time = workspace.system.clock.now().toISOString();
    const empty = deploymentToJson(EMPTY_DEPLOYMENT, {time, salt: secrets.state, seal: sealNothing});
    await backend.save(ref, JSON.stringify(empty));
  } finally {
    await lock.release();
  }
  if (select) await workspace.select(ref);
  return ref.name;
}

export type StackRow = {
  /** Qualified for a stack of another project. */
  readonly name: string;
  /** Selected. */
  readonly current: boolean;
  /** RFC 3339; undefined: never. */
  readonly lastUpdate: string | undefined;
  /** undefined: the state cannot be read. */
  readonly resourceCount: number | undefined;
};

/** The stacks of this project; outside a project or with `all` those of every project. */
export async function listStacks(workspace: Workspace, options: {readonly all?: boolean} = {}): Promise<StackRow[]> {
  const backend = await workspace.backend();
  const project = workspace.hasProject ? workspace.project.name : undefined;
  const selected = workspace.hasProject ? await workspace.selected() : undefined;
  const current = selected === undefined ? undefined : workspace.reference(selected).name;
  const all = project === undefined || options.all === true;
  const refs = (await backend.list()).filter(ref => all || ref.project === project);
  return Promise.all(
    refs.map(async ref => {
      const {updated, count} = lastUpdate(await backend.load(ref).catch(error => warnOf(workspace, error)));
      const own = ref.project === project;
      const name = own ? ref.name : qualifiedName(ref);
      return {name, current: own && ref.name === current, lastUpdate: updated, resourceCount: count};
    }),
  );
}

/** A damaged stack does not hide the others. */
function warnOf(workspace: Workspace, error: unknown): undefined {
  if (!(error instanceof EngineError)) throw error;
  workspace.note(`warning: ${error.message}`);
}

function lastUpdate(deployment: JsonObject | undefined): {updated: string | undefined; count: number | undefined} {
  if (deployment === undefined) return {updated: undefined, count: undefined};
  const manifest = deployment['manifest'];
  const time = isJsonObject(manifest) ? manifest['time'] : undefined;
  const resources = deployment['resources'];
  return {updated: typeof time === 'string' ? time : undefined, count: Array.isArray(resources) ? resources.length : 0};
}

/** Resolves to false for a stack that does not exist. */
export async function chooseStack(workspace: Workspace, name: string | undefined): Promise<boolean> {
  const ref = name === undefined ? undefined : workspace.reference(name);
  if (ref !== undefined && !(await (await workspace.backend()).exists(ref))) return false;
  await workspace.select(ref);
  return true;
}

export type StackRemoval = {
  /** Keep Pulumi.<stack>.yaml. */
  readonly keepConfig?: boolean;
  readonly removeBackups?: boolean;
};

export type RemoveOptions = StackRemoval & {
  /** Remove a stack that has resources, or cannot be read; the objects themselves stay. */
  readonly force?: boolean;
  readonly consent: (stack: string) => Promise<boolean>;
};

/** Removes the current stack; false: `consent` was not given. Throws for a stack that has resources. */
export async function removeStack(workspace: Workspace, options: RemoveOptions): Promise<boolean> {
  const ref = await workspace.currentStack();
  const backend = await workspace.backend();
  if (!(await options.consent(ref.name))) return false;
  const lock = await backend.lock(ref);
  try {
    const stored = options.force === true ? undefined : await backend.load(ref); // a damaged one can be removed too
    const resources = Array.isArray(stored?.['resources']) ? stored['resources'] : [];
    const left = resources.filter(resource => !(isJsonObject(resource) && resource['type'] === ROOT_STACK_TYPE));
    if (left.length > 0)
      throw new EngineError(
        `'${ref.name}' still has resources; removal rejected. Run \`palisade destroy\` first, or use --force to forget ` +
          'them (the objects themselves stay)',
      );
    await forgetStack(workspace, ref, options);
  } finally {
    await lock.release();
  }
  return true;
}

/** With its lock held: removes the state, the configuration file and the selection. */
export async function forgetStack(workspace: Workspace, ref: StackReference, options: StackRemoval): Promise<void> {
  await (await workspace.backend()).remove(ref, {backups: options.removeBackups === true});
  if (workspace.hasProject && workspace.project.name === ref.project) {
    if (options.keepConfig !== true) await StackConfig.remove(workspace.project, ref.name);
    if (isSelected(await workspace.selected({...workspace.env, PULUMI_STACK: undefined}), ref))
      await workspace.select(undefined);
  }
  workspace.note(`Stack '${ref.name}' has been removed!`);
}

/** Resolves to the old and the new name. */
export async function renameStack(workspace: Workspace, name: string): Promise<{from: string; to: string}> {
  const ref = await workspace.currentStack();
  const to = workspace.reference(name);
  const backend = await workspace.backend();
  const lock = await backend.lock(ref);
  try {
    if (await backend.exists(to)) throw new EngineError(`a stack named ${to.name} already exists`);
    const stack = await workspace.openStack(ref);
    const {resources, pendingOperations} = stack.state;
    const rename = makeStackRenamer(ref, to);
    for (const state of [...resources, ...pendingOperations.map(operation => operation.resource)]) rename(state);
    const takeBack = await (await workspace.stackConfig(ref)).rename(to.name);
    try {
      await saveDeployment(workspace, stack, stack.state, {to});
    } catch (error) {
      await takeBack(); // a stack is nowhere without its configuration
      throw error;
    }
    await backend.moveHistory(ref, to);
    await backend.remove(ref, {backups: false});
  } finally {
    await lock.release();
  }
  if (isSelected(await workspace.selected(), ref)) await workspace.select(to);
  return {from: ref.name, to: to.name};
}

const isSelected = (selected: string | undefined, ref: StackReference): boolean =>
  selected === ref.name || selected === qualifiedName(ref);

/** Removes the locks of the current stack; resolves to their number. */
export async function unlockStack(workspace: Workspace): Promise<{stack: string; locks: number}> {
  const ref = await workspace.currentStack();
  return {stack: ref.name, locks: await (await workspace.backend()).unlock(ref)};
}
