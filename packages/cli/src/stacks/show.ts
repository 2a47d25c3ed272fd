// SPDX-License-Identifier: Apache-2.0
/** `palisade stack` and `palisade stack output`: what the state of a stack holds. */
import {EngineError, parseUrn, type ResourceState, showStack as readStack, valueToJson} from '@palisade/engine';
import {shellWord} from '@palisade/ids-wire';
import {type PropertyMap, type PropertyValue, revealProperties} from '@palisade/provider';
import {EXIT, UsageError} from '../command-line/io.ts';
import type {StackInput} from './catalog/stack-command.ts';
import type {outputFlags, showFlags} from './catalog/stack-flags.ts';
import {maskMap} from './display/digest.ts';
import {print, printJson} from './print.ts';

export async function showStack({workspace, options, io}: StackInput<typeof showFlags>): Promise<number> {
  if (options['show-name'] && !options.json) {
    print(io, (await workspace.currentStack()).name);
    return EXIT.ok;
  }
  const stack = await readStack(workspace);
  const outputs = shownOutputs(stack.outputs, options['show-secrets']);
  if (options.json) {
    const resources = stack.resources.map(({urn, type, id, protect}) => ({urn, type, id, protect}));
    const shown = JSON.parse(jsonText(outputs)) as unknown;
    printJson(io, {name: stack.name, qualifiedName: stack.qualifiedName, resources, outputs: shown});
    return EXIT.ok;
  }
  const lines = [
    `Current stack is ${stack.name}:`,
    `    Owner: ${stack.qualifiedName}`,
    `Current stack resources (${stack.resources.length}):`,
    ...stack.resources.flatMap(resource => resourceLines(resource, options)),
    '',
    ...tableLines(outputs),
  ];
  print(io, lines.join('\n'));
  return EXIT.ok;
}

type Shown = {readonly 'show-urns': boolean; readonly 'show-ids': boolean};

function resourceLines({urn, id, protect, ...resource}: ResourceState, options: Shown): string[] {
  const {type, name} = parseUrn(urn);
  const marks = `${resource.delete ? ' (to be deleted)' : ''}${protect ? ' (protected)' : ''}`;
  const lines = [`    ${type.padEnd(44)} ${name}${marks}`];
  if (options['show-urns']) lines.push(`        URN: ${urn}`);
  if (options['show-ids'] && id !== '') lines.push(`        ID: ${id}`);
  return lines;
}

const shownOutputs = (outputs: PropertyMap, showSecrets: boolean): PropertyMap =>
  showSecrets ? revealProperties(outputs) : maskMap(outputs);

export async function showOutputs({workspace, options, words, io}: StackInput<typeof outputFlags>): Promise<number> {
  const [name] = words;
  if (options.json && options.shell) throw new UsageError('give either --json or --shell');
  const shown = shownOutputs((await readStack(workspace)).outputs, options['show-secrets']);
  const value = name === undefined ? undefined : shown[name];
  if (name !== undefined && value === undefined)
    throw new EngineError(`current stack does not have output property '${name}'`);
  if (options.json) print(io, jsonText(value ?? shown, 2));
  else if (options.shell)
    for (const key of name === undefined ? Object.keys(shown).sort() : [name])
      print(io, `${key}=${shellWord(plainText(shown[key] ?? null))}`);
  else print(io, value === undefined ? tableLines(shown).join('\n') : plainText(value));
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
