// SPDX-License-Identifier: Apache-2.0
/**
 * Configuration values as they stand in Pulumi.<stack>.yaml: a scalar, `{secure: <ciphertext>}`, or a structure that may hold
 * `{secure: …}` at any depth. Programs get text: scalars as they are, structures as JSON. Ref: Pulumi resource/config.Value.
 */
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';

/** By full key (`namespace:name`). */
export type ConfigMap = ReadonlyMap<string, Json>;

/** `name` or `namespace:name` (also the old `namespace:config:name`); the project's name is the default namespace. */
export function fullConfigKey(key: string, project: string): string {
  const parts = key.split(':');
  if (parts.length === 1 && key !== '') return `${project}:${key}`;
  if (parts.length === 2 && parts[0] !== '' && parts[1] !== '') return key;
  if (parts.length === 3 && parts[1] === 'config') return `${parts[0]}:${parts[2]}`;
  throw new EngineError(`could not parse "${key}" as a configuration key: expected NAME or NAMESPACE:NAME`);
}

/** How a key is shown to the user: without the namespace when that is the project's. */
export const shortConfigKey = (key: string, project: string): string =>
  key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;

export const isSecure = (value: Json): value is {readonly secure: string} =>
  isJsonObject(value) && typeof value['secure'] === 'string' && Object.keys(value).length === 1;

export function holdsSecure(value: Json): boolean {
  if (isSecure(value)) return true;
  return (
    typeof value === 'object' && value !== null && Object.values(value).some(member => holdsSecure(member as Json))
  );
}

/** The value with every `{secure}` opened. */
export const revealConfig = (value: Json, open: (sealed: string) => string): Json => mapSecure(value, open);

/** A copy with something else in place of every `{secure}`. */
export function mapSecure(value: Json, replace: (sealed: string) => Json): Json {
  if (isSecure(value)) return replace(value.secure);
  if (Array.isArray(value)) return value.map((member: Json) => mapSecure(member, replace));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(sortedEntries(value).map(([key, member]) => [key, mapSecure(member, replace)]));
}

/** Structures are shown and passed on with their keys sorted, as the CLI does. */
const sortedEntries = (map: JsonObject): [string, Json][] => Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));

/** What a program sees. */
export const configText = (value: Json): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);

/** Text on the command line as the value that `--path` stores: true, false and integers become what they look like. */
export function typedText(text: string): Json {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (/^(0|-?[1-9]\d{0,14})$/.test(text)) return Number(text);
  return text;
}

type Step = string | number;

/** `a.b[0]["c.d"]`: the first step is the configuration key's name. */
export function parseConfigPath(text: string): readonly Step[] {
  const steps: Step[] = [];
  const pattern = /\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\.?([^.[\]]+)/y;
  let at = 0;
  while (at < text.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null || (at > 0 && match[3] !== undefined && text[at] !== '.'))
      throw new EngineError(`configuration path "${text}": cannot be read at position ${at}`);
    steps.push(match[1] !== undefined ? Number(match[1]) : (match[2]?.replace(/\\(.)/g, '$1') ?? match[3] ?? ''));
    at = pattern.lastIndex;
  }
  if (steps.length === 0) throw new EngineError('the configuration path is empty');
  return steps;
}

/** The member at `path`, or undefined. */
export function getAt(value: Json | undefined, path: readonly Step[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(at)) at = typeof step === 'number' ? at[step] : undefined;
    else if (isJsonObject(at)) at = at[String(step)];
    else return undefined;
  }
  return at;
}

/** A copy with `path` set; lists grow by one member at most. Throws when a scalar is in the way. */
export function setAt(value: Json | undefined, path: readonly Step[], member: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return member;
  if (typeof step === 'number') {
    if (value !== undefined && !Array.isArray(value)) throw new EngineError(`[${step}]: the value there is not a list`);
    const list: Json[] = Array.isArray(value) ? [...value] : [];
    if (step > list.length) throw new EngineError(`[${step}]: the list there has ${list.length} members`);
    list[step] = setAt(list[step], rest, member);
    return list;
  }
  if (value !== undefined && (!isJsonObject(value) || isSecure(value)))
    throw new EngineError(`"${step}": the value there is not a map`);
  return {
    ...(value as JsonObject | undefined),
    [step]: setAt(isJsonObject(value) ? value[step] : undefined, rest, member),
  };
}

/** A copy without the member at `path`; the value itself when nothing is there. */
export function removeAt(value: Json, path: readonly Step[]): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(value) && typeof step === 'number') {
    if (rest.length === 0) return value.filter((_, i) => i !== step);
    return value.map((member: Json, i) => (i === step ? removeAt(member, rest) : member));
  }
  if (!isJsonObject(value) || !(String(step) in value)) return value;
  const {[String(step)]: member, ...others} = value;
  return rest.length === 0 || member === undefined ? others : {...others, [String(step)]: removeAt(member, rest)};
}
