// SPDX-License-Identifier: Apache-2.0
/** Configuration taken over from another stack, or from the last deployment. */
import {readIfThere, writeDurably} from '../backend/files.ts';
import {qualifiedName, type StackReference} from '../backend/stack-reference.ts';
import {EngineError} from '../engine-error.ts';
import {saltOf} from '../state/deployment-file.ts';
import type {Json} from '../state/resource-json.ts';
import {type ConfigPlace, configPlace, setAtPlace} from '../workspace/config-place.ts';
import {type ConfigMap, configText, getAt, holdsSecure, mapSecure, shortConfigKey} from '../workspace/config-value.ts';
import type {StackConfig} from '../workspace/stack-config.ts';
import {missingStack} from './missing-stack.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

type Copy = {
  /** Name of the other stack. */
  readonly to: string;
  /** undefined: all values of the stack's own file. */
  readonly key?: string | undefined;
  readonly path?: boolean;
};

/** Other values of the destination stay. Secrets are encrypted again, for the other stack. */
export async function copyConfig(workspace: Workspace, {to: dest, key, path = false}: Copy): Promise<void> {
  const from = await workspace.currentStack();
  const to = await destination(workspace, dest);
  if (from.name === to.name) throw new EngineError('current stack and destination stack are the same');
  const [source, target] = [await workspace.stackConfig(from), await workspace.stackConfig(to)];
  const placed = key === undefined ? allOf(source) : [oneOf(workspace, source, {key, path, stack: from.name})];
  const reseal = placed.some(({value}) => holdsSecure(value))
    ? await resealer(workspace, from, {to, target})
    : undefined;
  for (const {place, value} of placed)
    setAtPlace(target, place, reseal === undefined ? value : mapSecure(value, sealed => ({secure: reseal(sealed)})));
  await target.save();
}

async function destination(workspace: Workspace, name: string): Promise<StackReference> {
  const ref = workspace.reference(name);
  if (ref.project !== workspace.project.name)
    throw new EngineError(
      `stack ${qualifiedName(ref)} belongs to another project than "${workspace.project.name}"; give a stack of this project`,
    );
  const backend = await workspace.backend();
  if (!(await backend.exists(ref))) throw await missingStack(backend, {ref, text: name, isNew: true});
  return ref;
}

type Placed = {readonly place: ConfigPlace; readonly value: Json};

const allOf = (source: StackConfig): Placed[] =>
  [...source.own()].map(([key, value]) => ({place: {key, path: []}, value}));

type One = {readonly key: string; readonly path: boolean; readonly stack: string};

function oneOf({project}: Workspace, source: StackConfig, {key, path, stack}: One): Placed {
  const place = configPlace(key, project.name, path);
  const value = getAt(source.own().get(place.key), place.path);
  if (value === undefined)
    throw new EngineError(`configuration key '${shortConfigKey(key, project.name)}' not found for stack '${stack}'`);
  return {place, value};
}

async function resealer(
  workspace: Workspace,
  from: StackReference,
  {to, target}: {to: StackReference; target: StackConfig},
): Promise<(sealed: string) => string> {
  const source = await workspace.openStack(from);
  await unlockSecrets(source);
  const {secrets} = await workspace.openStack(to);
  await unlockSecrets({config: target, secrets});
  return sealed => secrets.encrypt(source.secrets.decrypt(sealed));
}

/**
 * Sets the values back to those of the last deployment, with the salt that decrypts its secrets. Resolves to the name of the stack, and
 * to the copy of the file that was there, unless `backup` is false.
 */
export async function refreshConfig(
  workspace: Workspace,
  {backup = true} = {},
): Promise<{stack: string; copy: string | undefined}> {
  const ref = await workspace.currentStack();
  const backend = await workspace.backend();
  const [latest] = await backend.history(ref);
  if (latest === undefined) throw new EngineError(`no previous deployment of stack '${ref.name}'`);
  const config = await workspace.stackConfig(ref, {mayBeMissing: true});
  const salt = saltOf(await backend.load(ref));
  if (salt !== undefined) config.encryptionSalt = salt;
  config.replace(valuesOf(latest.config));
  const copy = backup ? await backUp(config.file) : undefined;
  await config.save();
  return {stack: ref.name, copy};
}

/** Sorted; plain values are text, as the CLI writes them. */
const valuesOf = (config: Readonly<Record<string, Json>>): ConfigMap =>
  new Map(
    Object.entries(config)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => [key, typeof value === 'object' ? value : configText(value)]),
  );

/** Beside the file, under the first name that is free: FILE.bak, FILE.bak.bak, … */
async function backUp(file: string): Promise<string | undefined> {
  const before = await readIfThere(file);
  if (before === undefined) return undefined;
  let backup = `${file}.bak`;
  while ((await readIfThere(backup)) !== undefined) backup += '.bak';
  await writeDurably(backup, before);
  return backup;
}
