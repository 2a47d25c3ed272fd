// SPDX-License-Identifier: Apache-2.0
/** `palisade config set-all` and `remove-all`: several values in one go, or none of them when one is wrong. */
import {UsageError} from '../engine-error.ts';
import type {Json} from '../state/resource-json.ts';
import {configPlace, placedText, removeAtPlace, setAtPlace} from '../workspace/config-place.ts';
import {EXIT} from './io.ts';
import {unlockSecrets, type Workspace} from './workspace-context.ts';

export async function configSetAll(workspace: Workspace): Promise<number> {
  const plain = workspace.flags.pairs('plaintext');
  const hidden = workspace.flags.pairs('secret');
  if (plain.length + hidden.length === 0) throw new UsageError('give --plaintext KEY=VALUE or --secret KEY=VALUE');
  const ref = await workspace.currentStack(undefined, {isNew: true});
  const config = await workspace.stackConfig(ref, {mayBeMissing: true});
  const set = ([key, text]: readonly [string, string], seal?: (text: string) => Json): void => {
    const place = configPlace(key, workspace.project.name, workspace.flags.on('path'));
    setAtPlace(config, place, seal === undefined ? placedText(place, text) : seal(text));
  };
  for (const pair of plain) set(pair);
  if (hidden.length > 0) {
    const {secrets} = await workspace.openStack(ref, {mayBeMissing: true});
    await unlockSecrets({config, secrets});
    for (const pair of hidden) set(pair, text => ({secure: secrets.encrypt(text)}));
  }
  await config.save();
  return EXIT.ok;
}

export async function configRemoveAll(workspace: Workspace, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) throw new UsageError('keys are needed: palisade config remove-all KEY…');
  const config = await workspace.stackConfig(await workspace.currentStack());
  for (const key of keys) removeAtPlace(config, configPlace(key, workspace.project.name, workspace.flags.on('path')));
  await config.save();
  return EXIT.ok;
}
