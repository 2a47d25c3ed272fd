// SPDX-License-Identifier: Apache-2.0
/** The configuration of a stack: the values of Pulumi.<stack>.yaml. A key with `path` leads into a structured value. */
import {EngineError} from '../engine-error.ts';
import type {Json} from '../state/resource-json.ts';
import {configPlace, placedText, removeAtPlace, setAtPlace} from '../workspace/config-place.ts';
import {getAt, holdsSecure, isSecure, revealConfig, shortConfigKey} from '../workspace/config-value.ts';
import {unlockSecrets, type Workspace} from './workspace.ts';

type Path = {readonly path?: boolean};

export type ConfigEntry = {readonly key: string; readonly text: string; readonly secret: boolean};

/** Sets several values, or none of them when a key is wrong. */
export async function setConfig(
  workspace: Workspace,
  entries: readonly ConfigEntry[],
  {path = false}: Path = {},
): Promise<void> {
  const placed = entries.map(entry => ({...entry, place: configPlace(entry.key, workspace.project.name, path)}));
  const ref = await workspace.currentStack({isNew: true});
  const config = await workspace.stackConfig(ref, {mayBeMissing: true});
  for (const {place, text, secret} of placed) if (!secret) setAtPlace(config, place, placedText(place, text));
  if (placed.some(({secret}) => secret)) {
    const {secrets} = await workspace.openStack(ref, {mayBeMissing: true});
    await unlockSecrets({config, secrets});
    for (const {place, text, secret} of placed) if (secret) setAtPlace(config, place, {secure: secrets.encrypt(text)});
  }
  await config.save();
}

export async function removeConfig(
  workspace: Workspace,
  keys: readonly string[],
  {path = false}: Path = {},
): Promise<void> {
  const config = await workspace.stackConfig(await workspace.currentStack());
  for (const key of keys) removeAtPlace(config, configPlace(key, workspace.project.name, path));
  await config.save();
}

/** `value`: secrets as they were asked for. */
export type ConfigValue = {readonly value: Json; readonly secret: boolean};

/** One value, with its secrets in the clear. Throws EngineError when it is not set. */
export async function getConfig(workspace: Workspace, key: string, {path = false}: Path = {}): Promise<ConfigValue> {
  const place = configPlace(key, workspace.project.name, path);
  const ref = await workspace.currentStack();
  const stored = getAt((await workspace.stackConfig(ref)).merged().get(place.key), place.path);
  if (stored === undefined)
    throw new EngineError(
      `configuration key '${shortConfigKey(key, workspace.project.name)}' not found for stack '${ref.name}'`,
    );
  const open = await openerFor(workspace, stored);
  return {value: revealConfig(stored, open), secret: holdsSecure(stored)};
}

async function openerFor(workspace: Workspace, value: Json): Promise<(sealed: string) => string> {
  if (!holdsSecure(value)) return sealed => sealed;
  const stack = await workspace.openStack(await workspace.currentStack());
  await unlockSecrets(stack);
  return sealed => stack.secrets.decrypt(sealed);
}

/** All values by full key, sorted; secrets are `[secret]` unless asked for. */
export async function listConfig(workspace: Workspace, {showSecrets = false} = {}): Promise<Map<string, ConfigValue>> {
  const config = await workspace.stackConfig(await workspace.currentStack());
  const entries = [...config.merged()].sort(([a], [b]) => (a < b ? -1 : 1));
  const open = showSecrets
    ? await openerFor(
        workspace,
        entries.map(([, value]) => value),
      )
    : undefined;
  return new Map(
    entries.map(([key, stored]) => {
      const value = open === undefined ? hideSecure(stored) : revealConfig(stored, open);
      return [key, {value, secret: holdsSecure(stored)}];
    }),
  );
}

function hideSecure(value: Json): Json {
  if (isSecure(value)) return '[secret]';
  if (Array.isArray(value)) return value.map((member: Json) => hideSecure(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, hideSecure(member as Json)]),
  );
}
