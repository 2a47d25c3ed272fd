// SPDX-License-Identifier: Apache-2.0
/** `palisade import`: adds existing objects to the state, and prints code for the program. */
import {resolve} from 'node:path';
import {
  assertWritable,
  codeOfImport,
  EngineError,
  type ImportList,
  type ImportPlan,
  isUrn,
  parseImportFile,
  planImport,
  readNamedFile,
  writeNamedFile,
} from '@palisade/engine';
import {UsageError} from '../command-line/io.ts';
import type {importFlags} from './catalog/operations-flags.ts';
import type {StackInput} from './catalog/stack-command.ts';
import {operate} from './operate.ts';
import {print} from './print.ts';

export async function importResources(input: StackInput<typeof importFlags>): Promise<number> {
  const {workspace, options} = input;
  const {out, 'preview-only': previewOnly} = options;
  const list = await givenList(input);
  const withCode = options['generate-code'] !== false;
  const plan = await planImport(workspace, list, {protect: options.protect !== false, withCode});
  if (withCode && out !== undefined) await assertWritable(resolve(workspace.cwd, out), `--out ${out}`);
  const stepsAreNotes = withCode && out === undefined && !previewOnly;
  const code = await operate(input, 'import', {previewOnly, imports: plan.imports, stepsAreNotes});
  if (withCode) await giveCode(input, plan);
  return code;
}

async function givenList({workspace, options, words}: StackInput<typeof importFlags>): Promise<ImportList> {
  const {parent, provider, file} = options;
  if (file !== undefined) {
    if (words.length > 0 || parent !== undefined || provider !== undefined)
      throw new UsageError('give either --file or one resource, not both');
    return parseImportFile(await readNamedFile(resolve(workspace.cwd, file), `--file ${file}`), `--file ${file}`);
  }
  const [type, name, id] = words;
  if (type === undefined || name === undefined || id === undefined)
    throw new UsageError('a type, a name and an ID are required: palisade import TYPE NAME ID (or --file FILE)');
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

/** `NAME=URN`; a URN alone gets the name of its flag. */
function variableAndUrn(flag: string, text: string): readonly [variable: string, urn: string] {
  if (isUrn(text)) return [flag, text];
  const at = text.indexOf('=');
  const urn = text.slice(at + 1);
  if (at <= 0 || !isUrn(urn)) throw new UsageError(`--${flag} ${text}: must be NAME=URN`);
  return [text.slice(0, at), urn];
}

async function giveCode({workspace, options, io}: StackInput<typeof importFlags>, plan: ImportPlan): Promise<void> {
  const {out} = options;
  if (options.json && out === undefined) return;
  const made = await codeOfImport(workspace, plan);
  if (made === undefined) return;
  if (out !== undefined) {
    await writeNamedFile(resolve(workspace.cwd, out), `--out ${out}`, made.code);
    workspace.note(`The code was written to ${out}`);
  }
  workspace.note('note: add this code to the program, or the next `palisade up` deletes the imported resources');
  if (made.isProtected)
    workspace.note(
      'note: imported resources are protected; to delete one, remove `protect` from the code and run `palisade up` first',
    );
  if (out === undefined) print(io, made.code);
}
