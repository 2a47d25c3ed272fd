// SPDX-License-Identifier: Apache-2.0
/** What `config:` of Pulumi.yaml asks of the values: that there is one, its type, that it is encrypted. */
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import {type ConfigMap, configText, fullConfigKey, holdsSecure, isSecure} from './config-value.ts';
import {judgeKeys} from './key-rules.ts';
import {DECLARATION_KEYS} from './known-keys.ts';

type DeclaringProject = {readonly name: string; readonly config: JsonObject};

/** One line for every fault, with the way out. */
export function configFaults(project: DeclaringProject, merged: ConfigMap): string[] {
  return Object.entries(project.config).flatMap(([name, declared]) => {
    if (!isJsonObject(declared)) return [];
    const key = fullConfigKey(name, project.name);
    const value = merged.get(key);
    if (value !== undefined) return valueFault(key, declared, value);
    const isOwn = key.startsWith(`${project.name}:`);
    return isOwn && isDeclaration(declared)
      ? [`configuration ${key} is declared in Pulumi.yaml and has no value: palisade config set ${key} VALUE`]
      : [];
  });
}

/** Declares what a value has to be, without giving one. */
export const isDeclaration = (declared: JsonObject): boolean =>
  ['type', 'description', 'secret', 'items'].some(word => word in declared);

/** Of `config:` as written in the file of the project of this name. Ref: Pulumi Project.Validate. */
export const declarationFaults = (config: JsonObject, project: string): string[] =>
  Object.entries(config).flatMap(([key, declared]) => {
    const isOwn = !key.includes(':') || key.startsWith(`${project}:`);
    const isValue = !isOwn && isJsonObject(declared) && !Object.keys(declared).some(word => word in DECLARATION_KEYS);
    return isJsonObject(declared) && !isValue ? faultsOfDeclaration(`config.${key}`, declared) : [];
  });

function faultsOfDeclaration(path: string, declared: JsonObject): string[] {
  const {wrong} = judgeKeys(declared, DECLARATION_KEYS, {isOpen: false, at: `${path}.`});
  if (wrong.length > 0) return [...wrong];
  const {type, items, default: preset, value} = declared;
  if (preset !== undefined && value !== undefined) return [`${path}: both default and value are given: remove one`];
  if (type === 'array' && !isJsonObject(items)) return [`${path}: an array needs items: {type: TYPE}`];
  if (typeof type !== 'string' || preset === undefined || isOfType(declared, preset)) return [];
  return [`${path}.default: expected a value of type ${typeName(declared)}, found ${shown(preset)}`];
}

function valueFault(key: string, declared: JsonObject, value: Json): string[] {
  if (declared['secret'] === true && !holdsSecure(value))
    return [`configuration ${key} must be encrypted, as Pulumi.yaml says: palisade config set --secret ${key} VALUE`];
  if (typeof declared['type'] !== 'string' || isOfType(declared, value)) return [];
  return [`configuration ${key} must be of type ${typeName(declared)}, as Pulumi.yaml says; it is ${shown(value)}`];
}

const shown = (value: Json): string => (holdsSecure(value) ? 'a secret of another type' : JSON.stringify(value));

/** Scalars may be written as text; what is encrypted is not looked into. */
function isOfType(declared: JsonObject, value: Json): boolean {
  const isList = Array.isArray(value);
  const isMap = !isList && isJsonObject(value) && !isSecure(value);
  switch (declared['type']) {
    case 'array': {
      const items = declared['items'];
      return isList && (!isJsonObject(items) || value.every((item: Json) => isOfType(items, item)));
    }
    case 'object':
      return isMap;
    case 'integer':
      return !isList && !isMap && (isSecure(value) || /^[+-]?\d+$/.test(configText(value)));
    case 'boolean':
      return !isList && !isMap && (isSecure(value) || /^(true|false)$/.test(configText(value)));
    default:
      return !isList && !isMap;
  }
}

const typeName = (declared: JsonObject): string =>
  declared['type'] === 'array' && isJsonObject(declared['items'])
    ? `array<${typeName(declared['items'])}>`
    : String(declared['type']);
