// SPDX-License-Identifier: Apache-2.0
/** Pulumi.yaml. Ref: Pulumi sdk/go/common/workspace/project.go. */
import {existsSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {isPlainName, PLAIN_NAME_RULE} from '../backend/plain-name.ts';
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
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
      `no Pulumi.yaml project file found in ${cwd} or above it; go to the program's folder or give --cwd FOLDER`,
    );
  return parseProject(file, readFileSync(file, 'utf8'));
}

export function parseProject(file: string, text: string): Project {
  const folder = dirname(file);
  const content = contentOf(parseYaml(text, file), file);
  if (!isJsonObject(content)) throw new EngineError(`${file}: a project file is a map with name and runtime`);
  const faults: string[] = [];
  const name = content['name'];
  if (typeof name !== 'string' || !isPlainName(name)) faults.push(`name${valueText(name)}: ${PLAIN_NAME_RULE}`);
  const runtime = parseRuntime(content['runtime'], faults);
  const config = content['config'] ?? {};
  if (!isJsonObject(config)) faults.push('config: expected a map');
  const backend = content['backend'];
  const url = isJsonObject(backend) ? backend['url'] : undefined;
  const configFolder = content['stackConfigDir'] ?? '';
  if (faults.length > 0) throw new EngineError(faults.map(fault => `${file}: ${fault}`).join('\n'));
  return {
    name: String(name),
    runtime,
    main: textOf(content['main']),
    file,
    folder,
    backendUrl: typeof url === 'string' && url !== '' ? url : undefined,
    config: isJsonObject(config) ? config : {},
    stackConfigFolder: join(folder, textOf(configFolder)),
  };
}

const valueText = (value: Json | undefined): string => (value === undefined ? '' : ` ${JSON.stringify(value)}`);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function parseRuntime(value: Json | undefined, faults: string[]): Runtime {
  const name = isJsonObject(value) ? value['name'] : value;
  const options = isJsonObject(value) && isJsonObject(value['options']) ? value['options'] : {};
  if (typeof name === 'string' && name !== '') return {name, options};
  faults.push('runtime: missing (nodejs or python)');
  return {name: '', options: {}};
}
