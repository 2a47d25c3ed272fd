// SPDX-License-Identifier: Apache-2.0
/** `palisade stack` and `palisade stack output`: what the state of a stack holds. */
import {type PropertyMap, type PropertyValue, revealProperties} from '@palisade/provider';
import {qualifiedName} from '../backend/stack-reference.ts';
import {maskMap} from '../display/digest.ts';
import {EngineError, UsageError} from '../engine-error.ts';
import {shellWord} from '../shell-word.ts';
import {valueToJson} from '../state/resource-json.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';
import {EXIT} from './io.ts';
import type {Workspace} from './workspace-context.ts';

export async function stackShow(workspace: Workspace): Promise<number> {
  const {flags} = workspace;
  const ref = await workspace.currentStack();
  if (flags.on('show-name')) {
    workspace.print(ref.name);
    return EXIT.ok;
  }
  const {resources} = (await workspace.openStack(ref)).state;
  workspace.print(
    [
      `Current stack is ${ref.name}:`,
      `    Owner: ${qualifiedName(ref)}`,
      `Current stack resources (${resources.length}):`,
      ...resources.flatMap(resource => resourceLines(workspace, resource)),
      '',
      ...tableLines(shownOutputs(workspace, resources)),
    ].join('\n'),
  );
  return EXIT.ok;
}

function resourceLines({flags}: Workspace, {urn, id, protect, ...resource}: ResourceState): string[] {
  const {type, name} = parseUrn(urn);
  const marks = `${resource.delete ? ' (to be deleted)' : ''}${protect ? ' (protected)' : ''}`;
  const lines = [`    ${type.padEnd(44)} ${name}${marks}`];
  if (flags.on('show-urns')) lines.push(`        URN: ${urn}`);
  if (flags.on('show-ids') && id !== '') lines.push(`        ID: ${id}`);
  return lines;
}

const outputsOf = (resources: readonly ResourceState[]): PropertyMap =>
  resources.find(resource => resource.type === ROOT_STACK_TYPE && !resource.delete)?.outputs ?? {};

/** Secrets stay hidden unless asked for. */
function shownOutputs({flags}: Workspace, resources: readonly ResourceState[]): PropertyMap {
  const outputs = outputsOf(resources);
  return flags.on('show-secrets') ? revealProperties(outputs) : maskMap(outputs);
}

export async function stackOutput(workspace: Workspace, [name]: readonly string[]): Promise<number> {
  const asJson = workspace.flags.on('json');
  const asShell = workspace.flags.on('shell');
  if (asJson && asShell) throw new UsageError('give either --json or --shell');
  const {resources} = (await workspace.openStack(await workspace.currentStack())).state;
  const shown = shownOutputs(workspace, resources);
  const value = name === undefined ? undefined : shown[name];
  if (name !== undefined && value === undefined)
    throw new EngineError(`current stack does not have output property '${name}'`);
  if (asJson) workspace.print(jsonText(value ?? shown, 2));
  else if (asShell)
    for (const key of name === undefined ? Object.keys(shown).sort() : [name])
      workspace.print(`${key}=${shellWord(plainText(shown[key] ?? null))}`);
  else workspace.print(value === undefined ? tableLines(shown).join('\n') : plainText(value));
  return EXIT.ok;
}

const jsonText = (value: PropertyValue, indent?: number): string =>
  JSON.stringify(
    valueToJson(value, () => ({})),
    undefined,
    indent,
  );

/** On one line. */
const plainText = (value: PropertyValue): string => (typeof value === 'string' ? value : jsonText(value));

function tableLines(outputs: PropertyMap): string[] {
  const keys = Object.keys(outputs).sort();
  const width = Math.max(6, ...keys.map(key => key.length));
  const rows = keys.map(key => `    ${key.padEnd(width)}  ${plainText(outputs[key] ?? null)}`);
  return [
    `Current stack outputs (${keys.length}):`,
    ...(keys.length === 0
      ? ['    No output values currently in this stack']
      : [`    ${'OUTPUT'.padEnd(width)}  VALUE`]),
    ...rows,
  ];
}
