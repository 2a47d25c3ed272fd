// SPDX-License-Identifier: Apache-2.0
/** `palisade import`: objects that exist already come into the state, and code for the program is printed. */
import {resolve} from 'node:path';
import {idOfImport} from '../../deploy/steps/import-planned.ts';
import {EngineError, UsageError} from '../../engine-error.ts';
import {programCode} from '../../program-code/declaration.ts';
import type {ResourceState} from '../../state/resource-state.ts';
import {isUrn} from '../../state/urn.ts';
import {languageOf} from '../../workspace/language.ts';
import {assertWritable, readNamedFile, writeNamedFile} from '../../workspace/named-file.ts';
import {operateStack} from '../operate.ts';
import type {Workspace} from '../workspace-context.ts';
import {type ImportList, parseImportFile, type Resolved, resolveImports} from './import-list.ts';

export async function importResources(workspace: Workspace, words: readonly string[]): Promise<number> {
  const {flags} = workspace;
  const list = await givenList(workspace, words);
  const ref = await workspace.currentStack();
  const protect = flags.text('protect') !== 'false';
  const resolved = resolveImports(list, {stack: ref.name, project: ref.project, protect});
  const givesCode = flags.text('generate-code') !== 'false';
  if (givesCode) languageOf(workspace.project);
  const out = flags.text('out');
  if (givesCode && out !== undefined) await assertWritable(resolve(workspace.cwd, out), `--out ${out}`);
  const before = await liveStates(workspace);
  const code = await operateStack(workspace, 'import', {
    previewOnly: flags.on('preview-only'),
    imports: resolved.imports,
    stepsAreNotes: givesCode && out === undefined && !flags.on('preview-only'),
  });
  if (givesCode) await giveCode(workspace, resolved, before);
  return code;
}

async function givenList(workspace: Workspace, words: readonly string[]): Promise<ImportList> {
  const {flags, cwd} = workspace;
  const [parent, provider, file] = [flags.text('parent'), flags.text('provider'), flags.text('file')];
  if (file !== undefined) {
    if (words.length > 0 || parent !== undefined || provider !== undefined)
      throw new UsageError('give either --file or one resource, not both');
    return parseImportFile(await readNamedFile(resolve(cwd, file), `--file ${file}`), `--file ${file}`);
  }
  const [type, name, id] = words;
  if (type === undefined || name === undefined || id === undefined)
    throw new UsageError('a type, a name and an id are needed: palisade import TYPE NAME ID (or --file FILE)');
  const nameTable = new Map<string, string>();
  const named = (flag: 'parent' | 'provider', text: string | undefined): string => {
    if (text === undefined) return '';
    const [variable, urn] = variableAndUrn(flag, text);
    if (nameTable.has(variable))
      throw new UsageError(`provider and parent must have distinct names, both are "${variable}"`);
    nameTable.set(variable, urn);
    return variable;
  };
  const spec = {type, name, logicalName: name, id, version: '', pluginDownloadUrl: '', component: false};
  const resource = {...spec, parent: named('parent', parent), provider: named('provider', provider)};
  return parseable({nameTable, resources: [resource]});
}

/** The words have to be what a file may hold. */
function parseable({nameTable, resources}: ImportList): ImportList {
  try {
    return parseImportFile(JSON.stringify({nameTable: Object.fromEntries(nameTable), resources}), 'import');
  } catch (error) {
    if (error instanceof EngineError) throw new UsageError(error.message, {cause: error});
    throw error;
  }
}

/** `NAME=URN`; a URN alone is called what it is for. */
function variableAndUrn(flag: string, text: string): readonly [variable: string, urn: string] {
  if (isUrn(text)) return [flag, text];
  const at = text.indexOf('=');
  const urn = text.slice(at + 1);
  if (at <= 0 || !isUrn(urn)) throw new UsageError(`--${flag} ${text}: expected NAME=URN`);
  return [text.slice(0, at), urn];
}

type States = ReadonlyMap<string, ResourceState>;

async function liveStates(workspace: Workspace): Promise<States> {
  const {resources} = (await workspace.openStack(await workspace.currentStack())).state;
  return new Map(resources.filter(state => !state.delete).map(state => [state.urn, state]));
}

/** Of what is in the state now: of an import that failed half-way too, but not of another object that had the name `before`. */
async function giveCode(workspace: Workspace, {imports, names}: Resolved, before: States): Promise<void> {
  const {flags, cwd, project, io} = workspace;
  const now = await liveStates(workspace);
  const states = imports.flatMap(({urn, id}) => {
    const [old, state] = [before.get(urn), now.get(urn)];
    return state === undefined || (old !== undefined && idOfImport(old) !== id) ? [] : [state];
  });
  const out = flags.text('out');
  if (states.length === 0 || (flags.on('json') && out === undefined)) return;
  const text = programCode(states, {names, factories: io.providers, language: languageOf(project)});
  if (out !== undefined) {
    await writeNamedFile(resolve(cwd, out), `--out ${out}`, text);
    workspace.note(`The code was written to ${out}`);
  }
  workspace.note('note: put this code into the program: the next `palisade up` deletes what it does not declare');
  if (states.some(({protect}) => protect))
    workspace.note(
      'note: what is imported is protected: to delete it, first take `protect` out of the code and run `palisade up`',
    );
  if (out === undefined) workspace.print(text);
}
