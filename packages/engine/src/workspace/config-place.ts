// SPDX-License-Identifier: Apache-2.0
/** Where a key of the command line is: a configuration key, and with `--path` the way into its value. */
import type {Json} from '../state/resource-json.ts';
import {fullConfigKey, parseConfigPath, removeAt, setAt, typedText} from './config-value.ts';
import type {StackConfig} from './stack-config.ts';

export type ConfigPlace = {readonly key: string; readonly path: readonly (string | number)[]};

export function configPlace(text: string, project: string, isPath: boolean): ConfigPlace {
  if (!isPath) return {key: fullConfigKey(text, project), path: []};
  const colon = /^([^.[\]:]+):/.exec(text);
  const namespace = colon?.[1] ?? project;
  const [name, ...path] = parseConfigPath(colon === null ? text : text.slice(colon[0].length));
  return {key: fullConfigKey(`${namespace}:${String(name)}`, project), path};
}

/** Within a structure true, false and integers become what they look like. */
export const placedText = ({path}: ConfigPlace, text: string): Json => (path.length > 0 ? typedText(text) : text);

export function setAtPlace(config: StackConfig, {key, path}: ConfigPlace, value: Json): void {
  config.set(key, path.length === 0 ? value : setAt(config.own().get(key), path, value));
}

/** Nothing happens when there is no such value. */
export function removeAtPlace(config: StackConfig, {key, path}: ConfigPlace): void {
  const value = config.own().get(key);
  if (value === undefined) return;
  if (path.length === 0) config.remove(key);
  else config.set(key, removeAt(value, path));
}
