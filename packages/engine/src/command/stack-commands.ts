// SPDX-License-Identifier: Apache-2.0
/** `palisade stack …`: the file backend's stacks. */
import {resolve} from 'node:path';
import {text as readAll} from 'node:stream/consumers';
import {qualifiedName, type StackReference} from '../backend/stack-reference.ts';
import {EngineError, StateFault, UsageError} from '../engine-error.ts';
import {
  DEPLOYMENT_VERSION,
  type Deployment,
  deploymentToJson,
  EMPTY_DEPLOYMENT,
  manifestAt,
  readDeployment,
  readWithoutSecrets,
  saltOf,
  sealNothing,
  sealWith,
} from '../state/deployment-file.ts';
import {assertSound, faultLines, integrityFaults, mendedLines} from '../state/integrity.ts';
import {makeStackRenamer} from '../state/rename-stack.ts';
import {repaired} from '../state/repair.ts';
import {holdsSealedSecrets, isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';
import {readNamedFile, writeNamedFile} from '../workspace/named-file.ts';
import {StackConfig} from '../workspace/stack-config.ts';
import {confirmRemoval} from './confirm.ts';
import {EXIT} from './io.ts';
import {type OpenStack, unlockSecrets, type Workspace} from './workspace-context.ts';

const INDENT = 4;

export async function stackInit(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  const given = workspace.givenStack(name);
  if (given === undefined) throw new UsageError('a stack name is needed: palisade stack init NAME');
  return makeStack(workspace, given);
}

async function makeStack(workspace: Workspace, given: string): Promise<number> {
  const ref = workspace.reference(given);
  const {project} = workspace;
  if (ref.project !== project.name)
    throw new EngineError(
      `stack ${given} names project "${ref.project}", but ${project.file} is project "${project.name}"`,
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
        'note: this stack cannot keep secrets until PULUMI_CONFIG_PASSPHRASE (or PULUMI_CONFIG_PASSPHRASE_FILE) is set',
      );
    const time = workspace.system.clock.now().toISOString();
    const empty = deploymentToJson(EMPTY_DEPLOYMENT, {time, salt: secrets.state, seal: sealNothing});
    await backend.save(ref, JSON.stringify(empty));
  } finally {
    await lock.release();
  }
  if (!workspace.flags.on('no-select')) await workspace.select(ref);
  workspace.note(`Created stack '${ref.name}'`);
  return EXIT.ok;
}

export async function stackList(workspace: Workspace): Promise<number> {
  const backend = await workspace.backend();
  const project = workspace.hasProject ? workspace.project.name : undefined;
  const selected = workspace.hasProject ? await workspace.selected() : undefined;
  const current = selected === undefined ? undefined : workspace.reference(selected).name;
  const all = project === undefined || workspace.flags.on('all');
  const refs = (await backend.list()).filter(ref => all || ref.project === project);
  const rows = await Promise.all(
    refs.map(async ref => {
      const {updated, count} = lastUpdate(await backend.load(ref).catch(error => warnOf(workspace, error)));
      const own = ref.project === project;
      const name = own ? ref.name : qualifiedName(ref);
      return {name, current: own && ref.name === current, lastUpdate: updated, resourceCount: count};
    }),
  );
  if (workspace.flags.on('json')) {
    workspace.print(JSON.stringify(rows, undefined, 2));
    return EXIT.ok;
  }
  const width = Math.max(4, ...rows.map(row => row.name.length + 1));
  workspace.print(
    [
      `${'NAME'.padEnd(width)}  ${'LAST UPDATE'.padEnd(24)}  RESOURCE COUNT`,
      ...rows.map(row => {
        const name = row.name + (row.current ? '*' : '');
        return `${name.padEnd(width)}  ${(row.lastUpdate ?? 'n/a').padEnd(24)}  ${row.resourceCount ?? 'n/a'}`;
      }),
    ].join('\n'),
  );
  return EXIT.ok;
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

export async function stackSelect(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  const given = workspace.givenStack(name);
  if (given === undefined) throw new UsageError('a stack name is needed: palisade stack select NAME');
  const ref = workspace.reference(given);
  const backend = await workspace.backend();
  if (!(await backend.exists(ref))) {
    if (!workspace.flags.on('create'))
      throw new EngineError(
        `no stack named '${given}' found; \`palisade stack ls\` lists those there are, --create makes it`,
      );
    return makeStack(workspace, given);
  }
  await workspace.select(ref);
  return EXIT.ok;
}

export async function stackUnselect(workspace: Workspace): Promise<number> {
  await workspace.select(undefined);
  return EXIT.ok;
}

const EPOCH = '0001-01-01T00:00:00Z';

export async function stackExport(workspace: Workspace): Promise<number> {
  const ref = await workspace.currentStack();
  const backend = await workspace.backend();
  const stored = await backend.load(ref);
  let deployment: JsonObject = stored ?? {manifest: {time: EPOCH, magic: '', version: ''}};
  if (stored !== undefined && workspace.flags.on('show-secrets')) {
    const {state, secrets} = await workspace.openStack(ref, {mayBeUnsound: true});
    const manifest = stored['manifest'] ?? manifestAt(EPOCH);
    deployment = {...deploymentToJson(state, {time: EPOCH, salt: secrets.state, seal: sealNothing}), manifest};
  }
  const text = `${JSON.stringify({version: DEPLOYMENT_VERSION, deployment}, undefined, INDENT)}\n`;
  const file = workspace.flags.text('file');
  if (file === undefined || file === '-') workspace.print(text);
  else await writeNamedFile(resolve(workspace.cwd, file), `--file ${file}`, text);
  // Afterwards, and no failure: what is wrong can be corrected in what was written.
  try {
    assertSound(readWithoutSecrets(stored).resources, '');
  } catch (error) {
    if (!(error instanceof StateFault)) throw error;
    workspace.note(`warning: ${backend.faultText(ref, error)}`);
  }
  return EXIT.ok;
}

export async function stackImport(workspace: Workspace): Promise<number> {
  const ref = await workspace.currentStack(undefined, {isNew: true});
  const deployment = parseExport(await importText(workspace));
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
    const {resources, notes} = soundResources(workspace, ref, given.resources);
    if (holdsSealedSecrets(deployment)) await unlockSecrets(stack);
    const after = counted(resources.length);
    const state = {...given, resources};
    if (stack.state === undefined) {
      const keepPrevious = backend.unreadableFile(ref);
      await saveDeployment(workspace, stack, state, {keepPrevious});
      workspace.note(`Stack '${ref.name}' has ${after} now.`);
      workspace.note(`The state before, which could not be read, is kept in ${keepPrevious}`);
    } else {
      const before = stack.state.resources.length;
      const backup = before === 0 ? undefined : await backend.backUp(ref);
      await saveDeployment(workspace, stack, state);
      workspace.note(`Stack '${ref.name}' had ${counted(before)} and has ${after} now.`);
      if (backup !== undefined) workspace.note(`The state before is kept in ${backup}`);
    }
    for (const note of notes) workspace.note(note);
  } finally {
    await lock.release();
  }
  workspace.note('Import complete.');
  return EXIT.ok;
}

const counted = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;

async function importText(workspace: Workspace): Promise<string> {
  const file = workspace.flags.text('file');
  if (file !== undefined && file !== '-') return readNamedFile(resolve(workspace.cwd, file), `--file ${file}`);
  if (workspace.io.stdin === undefined) throw new UsageError('stack import reads standard input or --file FILE');
  return readAll(workspace.io.stdin as never);
}

/** Never takes for an empty deployment what is none: the stack would lose all it has. */
function parseExport(text: string): JsonObject {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw new EngineError('could not read the deployment: it is not JSON', {cause});
  }
  if (!isJsonObject(file)) throw new EngineError('could not read the deployment: it is not an object');
  const version = file['version'] ?? 0;
  if (typeof version !== 'number' || version > DEPLOYMENT_VERSION || version < 1)
    throw new EngineError(
      `the deployment has version ${JSON.stringify(version)}; this engine knows version ${DEPLOYMENT_VERSION}`,
    );
  const deployment = file['deployment'];
  if (!isJsonObject(deployment)) throw new EngineError('could not read the deployment: there is none in it');
  return deployment;
}

/**
 * What is to be stored: with --force also of another stack, and mended where it does not fit together; `notes` say what was mended.
 * Throws for the rest.
 */
function soundResources(
  workspace: Workspace,
  ref: StackReference,
  resources: readonly ResourceState[],
): {readonly resources: readonly ResourceState[]; readonly notes: readonly string[]} {
  const faults = integrityFaults(resources);
  const foreign = resources.flatMap(({urn}) => {
    const {stack, project} = parseUrn(urn);
    if (stack === ref.name && project === ref.project) return [];
    return `resource '${urn}' is from a different stack (${project}/${stack} is not ${ref.project}/${ref.name})`;
  });
  if (faults.length + foreign.length === 0) return {resources, notes: []};
  if (!workspace.flags.on('force'))
    throw new EngineError(
      `importing this file could be dangerous; rerun with --force to proceed anyway:\n${[...faults, ...foreign].join('\n')}`,
    );
  const mended = repaired(resources);
  const left = integrityFaults(mended);
  if (left.length > 0)
    throw new EngineError(
      `the deployment does not fit together, so it was not imported:\n${faultLines(left)}\ncorrect it in the file`,
    );
  return {resources: mended, notes: [...mendedLines(faults), ...foreign.map(line => `warning: ${line}`)]};
}

type Saving = {
  readonly to?: StackReference;
  /** When nothing was deployed: the one that the state had. */
  readonly manifest?: Json | undefined;
  /** The file that the state before becomes, else its `.bak`. */
  readonly keepPrevious?: string;
};

export async function saveDeployment(
  workspace: Workspace,
  stack: Pick<OpenStack, 'ref' | 'secrets'>,
  state: Deployment,
  {to = stack.ref, manifest, keepPrevious}: Saving = {},
): Promise<void> {
  const backend = await workspace.backend();
  const time = workspace.system.clock.now().toISOString();
  const json = deploymentToJson(state, {time, salt: stack.secrets.state, seal: sealWith(stack.secrets)});
  await backend.save(to, JSON.stringify(manifest === undefined ? json : {...json, manifest}), {keepPrevious});
}

export async function stackRemove(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  const {flags} = workspace;
  const ref = await workspace.currentStack(name);
  const backend = await workspace.backend();
  if (!(await confirmRemoval(workspace, ref.name))) return EXIT.failed;
  const lock = await backend.lock(ref);
  try {
    const stored = flags.on('force') ? undefined : await backend.load(ref); // a damaged one can be removed too
    const resources = Array.isArray(stored?.['resources']) ? stored['resources'] : [];
    const left = resources.filter(resource => !(isJsonObject(resource) && resource['type'] === ROOT_STACK_TYPE));
    if (left.length > 0)
      throw new EngineError(
        `'${ref.name}' still has resources; removal rejected. Run \`palisade destroy\` first, or use --force to forget ` +
          'them (the objects themselves stay)',
      );
    await removeStack(workspace, ref);
  } finally {
    await lock.release();
  }
  return EXIT.ok;
}

/** With its lock held: the state, the configuration file and the selection. */
export async function removeStack(workspace: Workspace, ref: StackReference): Promise<void> {
  const {flags} = workspace;
  await (await workspace.backend()).remove(ref, {backups: flags.on('remove-backups')});
  if (workspace.hasProject && workspace.project.name === ref.project) {
    if (!flags.on('preserve-config')) await StackConfig.remove(workspace.project, ref.name);
    if (isSelected(await workspace.selected({...workspace.io.env, PULUMI_STACK: undefined}), ref))
      await workspace.select(undefined);
  }
  workspace.note(`Stack '${ref.name}' has been removed!`);
}

export async function stackRename(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  if (name === undefined) throw new UsageError('the new name is needed: palisade stack rename NAME');
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
  workspace.note(`Renamed ${ref.name} to ${to.name}`);
  return EXIT.ok;
}

const isSelected = (selected: string | undefined, ref: StackReference): boolean =>
  selected === ref.name || selected === qualifiedName(ref);

/** Removes the locks of the stack. */
export async function cancelStack(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  const ref = await workspace.currentStack(name);
  const count = await (await workspace.backend()).unlock(ref);
  workspace.note(
    count === 0
      ? `stack '${ref.name}' was not locked`
      : `The currently running update for '${ref.name}' has been canceled!`,
  );
  return EXIT.ok;
}
