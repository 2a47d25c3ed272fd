// SPDX-License-Identifier: Apache-2.0
/**
 * What is to be imported: three words of the command line, or a file in the form of the CLI's (`{nameTable, resources}`). Names in it
 * are those of variables; parents and providers are named by them. Ref: Pulumi cmd/pulumi/operations import.go, parseImportFile.
 */
import type {PlannedImport} from '../deploy/steps/import-planned.ts';
import {EngineError} from '../engine-error.ts';
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import {isProviderType, isUrn, makeUrn, parseUrn} from '../state/urn.ts';

export type ImportList = {
  /** URNs by name of variable, of what the stack has already. */
  readonly nameTable: ReadonlyMap<string, string>;
  readonly resources: readonly ImportSpec[];
};

/** '' for what is not given. */
export type ImportSpec = {
  readonly type: string;
  /** Of the variable. */
  readonly name: string;
  /** Of the resource. */
  readonly logicalName: string;
  readonly id: string;
  readonly parent: string;
  readonly provider: string;
  readonly version: string;
  readonly pluginDownloadUrl: string;
  readonly component: boolean;
};

/** Members of the CLI's file that ask for what this engine does not do. */
const UNSUPPORTED = ['inputs', 'outputs', 'remote', 'parameterization', 'extension'] as const;

/** Throws EngineError naming every fault. `said`: what the messages call the file. */
export function parseImportFile(text: string, said: string): ImportList {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (cause) {
    throw new EngineError(`${said}: not readable as JSON`, {cause});
  }
  const [table, resources] = isJsonObject(file) ? [file['nameTable'] ?? {}, file['resources'] ?? []] : [];
  if (!isJsonObject(file) || !isJsonObject(table) || !Array.isArray(resources))
    throw new EngineError(`${said}: expected {"nameTable": {NAME: URN}, "resources": [{"type", "name", "id"}]}`);
  const faults: string[] = 'providerInputs' in file ? ['providerInputs: not supported; create the provider first'] : [];
  const specs = resources.map((resource: Json, i: number) => specOf(resource, i, faults));
  const nameTable = new Map(Object.entries(table).map(([name, urn]) => [name, textOf(urn)]));
  for (const [name, urn] of nameTable) if (!isUrn(urn)) faults.push(`nameTable: "${name}": '${urn}' is not a URN`);
  if (specs.length === 0 && faults.length === 0) faults.push('it contains no resources');
  if (faults.length > 0) throw new EngineError(faults.map(fault => `${said}: ${fault}`).join('\n'));
  return {nameTable, resources: specs};
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function specOf(json: Json, index: number, faults: string[]): ImportSpec {
  const members: JsonObject = isJsonObject(json) ? json : {};
  const [name, logicalName] = [textOf(members['name']), textOf(members['logicalName'])];
  const spec: ImportSpec = {
    type: textOf(members['type']),
    name: name === '' ? logicalName : name,
    logicalName: logicalName === '' ? name : logicalName,
    id: textOf(members['id']),
    parent: textOf(members['parent']),
    provider: textOf(members['provider']),
    version: textOf(members['version']),
    pluginDownloadUrl: textOf(members['pluginDownloadUrl']),
    component: members['component'] === true,
  };
  const said = describe(spec, index);
  faults.push(...faultsOf(spec).map(fault => `${said} ${fault}`));
  for (const key of UNSUPPORTED)
    if (members[key] !== undefined && members[key] !== false) faults.push(`${said}: "${key}" is not supported`);
  return spec;
}

function describe({name, id, type}: ImportSpec, index: number): string {
  const which = name !== '' ? `'${name}'` : id !== '' ? `'${id}'` : String(index);
  return `resource ${which}${type === '' ? '' : ` of type '${type}'`}`;
}

function faultsOf({type, name, id, component}: ImportSpec): string[] {
  const faults: string[] = [];
  if (type === '') faults.push('has no type');
  else if (isProviderType(type)) faults.push('is a provider, which a program creates: it cannot be imported');
  else if (type.split(':').length !== 3) faults.push('has a malformed type (must be package:module:Type)');
  if (name === '') faults.push('has no name');
  if (!component && id === '') faults.push('has no ID');
  if (component && id !== '') faults.push('has an ID, but is marked as a component');
  return faults;
}

export type Resolved = {
  /** Parents before their children. */
  readonly imports: readonly PlannedImport[];
  /** Names of variables by URN: of the imports, and of the name table. */
  readonly names: ReadonlyMap<string, string>;
};

type Into = {readonly stack: string; readonly project: string; readonly protect: boolean};

/** Throws EngineError naming every fault. */
export function resolveImports({nameTable, resources}: ImportList, into: Into): Resolved {
  const imports = new Map<string, PlannedImport>();
  const names = new Map([...nameTable].map(([name, urn]) => [urn, name]));
  const faults: string[] = [];
  const byName = (name: string): ImportSpec[] => resources.filter(spec => spec.name === name);
  const open = new Set<ImportSpec>();
  const done = new Map<ImportSpec, string>();

  const parentOf = (spec: ImportSpec, said: string): string | undefined => {
    if (spec.parent === '') return '';
    const [parent, ...others] = byName(spec.parent);
    const known = nameTable.get(spec.parent);
    if (others.length > 0) faults.push(`${said} has an ambiguous parent`);
    else if (known !== undefined) return known;
    else if (parent !== undefined && !open.has(parent)) return resolve(parent);
    else if (parent !== undefined) faults.push(`${said} is its own ancestor`);
    else faults.push(`the parent '${spec.parent}' for ${said} has no entry in 'nameTable'`);
    return undefined;
  };
  const providerOf = (spec: ImportSpec, said: string): string => {
    const urn = spec.provider === '' ? '' : nameTable.get(spec.provider);
    if (urn === undefined) faults.push(`the provider '${spec.provider}' for ${said} has no entry in 'nameTable'`);
    else if (urn !== '' && !isProviderType(parseUrn(urn).type))
      faults.push(`the provider '${spec.provider}' for ${said} is not a provider`);
    return urn ?? '';
  };
  const resolve = (spec: ImportSpec): string | undefined => {
    const before = done.get(spec);
    if (before !== undefined) return before;
    open.add(spec);
    const said = describe(spec, resources.indexOf(spec));
    const [parent, provider] = [parentOf(spec, said), providerOf(spec, said)];
    open.delete(spec);
    if (parent === undefined) return undefined;
    const {type, id, version, pluginDownloadUrl, component} = spec;
    const {protect, ...stack} = into;
    const urn = makeUrn({...stack, parent, type, name: spec.logicalName});
    if (imports.has(urn) || names.has(urn))
      faults.push(`${said} has an ambiguous URN, set name (or logical name) to be unique`);
    imports.set(urn, {urn, type, id, parent, provider, version, pluginDownloadUrl, component, protect});
    names.set(urn, spec.name);
    done.set(spec, urn);
    return urn;
  };
  for (const spec of resources) resolve(spec);
  if (faults.length > 0) throw new EngineError([...new Set(faults)].join('\n'));
  return {imports: [...imports.values()], names};
}
