// SPDX-License-Identifier: Apache-2.0
/** Pulumi.yaml. Ref: Pulumi sdk/go/common/workspace/project.go. */
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {isPlainName, PLAIN_NAME_RULE} from '../backend/plain-name.ts';
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import {declarationFaults} from './declared-config.ts';
import {judgeKeys} from './key-rules.ts';
import {PROJECT_KEYS, RUNTIME_KEYS} from './known-keys.ts';
import {contentOf, parseYaml} from './yaml-file.ts';

const FILE_NAMES = ['Pulumi.yaml', 'Pulumi.yml', 'Pulumi.json'] as const;

/** Any name: only running a program, and writing code for one, need a language that the engine has. */
export type Runtime = {readonly name: string; readonly options: JsonObject};

export type Project = {
  readonly name: string;
  readonly runtime: Runtime;
  /** Entry point, relative to the project's folder; '' when not given. */
  readonly main: string;
  /** Path of Pulumi.yaml, and the folder it is in. */
  readonly file: string;
  readonly folder: string;
  /** `backend.url`. */
  readonly backendUrl: string | undefined;
  /** `config:` as written: values, or declarations with `value`, `default`, `type`, `secret`. */
  readonly config: JsonObject;
  /** `stackConfigDir`: where Pulumi.<stack>.yaml files are. */
  readonly stackConfigFolder: string;
  /** `options.refresh: always`. */
  readonly refreshAlways: boolean;
  /** `requiredPulumiVersion`; '' when not given. */
  readonly requiredVersion: string;
  /** Packages that `packages` and `plugins.providers` name, with the key that names them. */
  readonly packages: readonly {readonly path: string; readonly name: string}[];
  /** Keys that have an effect with the Pulumi CLI only, and unknown keys. */
  readonly refused: readonly string[];
  readonly unknown: readonly string[];
};

/** The nearest project file from `cwd` upwards, as the CLI looks for it. */
export function findProjectFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = FILE_NAMES.map(name => join(folder, name)).find(path => existsSync(path));
    if (found !== undefined) return found;
    if (dirname(folder) === folder) return undefined;
  }
}

/** Throws EngineError naming every fault of the file. */
export function loadProject(cwd: string): Project {
  const file = findProjectFile(cwd);
  if (file === undefined)
    throw new EngineError(
      `no Pulumi.yaml project file found in ${cwd} or above it; go to the program's folder or give --cwd DIR`,
    );
  return parseProject(file, readFileSync(file, 'utf8'));
}

/** Throws EngineError naming every fault but those that concern operations only (`projectRefusals`). */
export function parseProject(file: string, text: string): Project {
  const folder = dirname(file);
  const content = contentOf(parseYaml(text, file), file);
  if (!isJsonObject(content)) throw new EngineError(`${file}: a project file is a map with name and runtime`);
  const keys = judgeKeys(content, PROJECT_KEYS, {isOpen: true});
  const faults = [...keys.wrong];
  const name = content['name'];
  if (typeof name !== 'string' || !isPlainName(name)) faults.push(`name${valueText(name)}: ${PLAIN_NAME_RULE}`);
  const runtime = parseRuntime(content['runtime'], faults);
  const {config, configFolder} = parseConfig(content, faults);
  faults.push(...declarationFaults(config, String(name)));
  if (faults.length > 0) throw new EngineError(faults.map(fault => `${file}: ${fault}`).join('\n'));
  return {
    name: String(name),
    runtime,
    main: textOf(content['main']),
    file,
    folder,
    backendUrl: textOf(memberOf(content['backend'], 'url')) || undefined,
    config,
    stackConfigFolder: join(folder, configFolder),
    refreshAlways: memberOf(content['options'], 'refresh') === 'always',
    requiredVersion: textOf(content['requiredPulumiVersion']),
    packages: namedPackages(content),
    refused: keys.refused,
    unknown: keys.unknown,
  };
}

const valueText = (value: Json | undefined): string => (value === undefined ? '' : ` ${JSON.stringify(value)}`);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const memberOf = (value: Json | undefined, key: string): Json | undefined =>
  isJsonObject(value) ? value[key] : undefined;

function parseRuntime(value: Json | undefined, faults: string[]): Runtime {
  if (isJsonObject(value)) faults.push(...judgeKeys(value, RUNTIME_KEYS, {isOpen: false, at: 'runtime.'}).wrong);
  const name = isJsonObject(value) ? value['name'] : value;
  const options = memberOf(value, 'options');
  if (typeof name === 'string' && name !== '') return {name, options: isJsonObject(options) ? options : {}};
  faults.push('runtime: missing (nodejs or python)');
  return {name: '', options: {}};
}

/** `config` as a text is the old form of `stackConfigDir`. */
function parseConfig(content: JsonObject, faults: string[]): {config: JsonObject; configFolder: string} {
  const {config = null, stackConfigDir = null} = content;
  if (typeof config === 'string') {
    if (stackConfigDir !== null) faults.push('config: a folder is given by stackConfigDir already: remove one of them');
    return {config: {}, configFolder: config};
  }
  if (config !== null && !isJsonObject(config)) faults.push('config: expected a map');
  return {config: isJsonObject(config) ? config : {}, configFolder: textOf(stackConfigDir)};
}

function namedPackages(content: JsonObject): Project['packages'] {
  const packages = content['packages'];
  const providers = memberOf(content['plugins'], 'providers');
  return [
    ...(isJsonObject(packages) ? Object.keys(packages) : []).map(name => ({path: `packages.${name}`, name})),
    ...(Array.isArray(providers) ? providers : []).map((provider: Json, i) => ({
      path: `plugins.providers[${i}]`,
      name: textOf(memberOf(provider, 'name')),
    })),
  ];
}
