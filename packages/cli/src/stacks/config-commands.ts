// SPDX-License-Identifier: Apache-2.0
/** `palisade config …`. */
import {text as readAll} from 'node:stream/consumers';
import {
  type ConfigValue,
  configPlace,
  configText,
  copyConfig,
  getConfig,
  listConfig,
  refreshConfig,
  removeConfig,
  setConfig,
  shortConfigKey,
} from '@palisade/engine';
import {CommandError, EXIT, isTerminal, UsageError} from '../command-line/io.ts';
import type {StackInput} from './catalog/stack-command.ts';
import type {
  configCopyFlags,
  configGetFlags,
  configListFlags,
  configRefreshFlags,
  configRemoveFlags,
  configSetAllFlags,
  configSetFlags,
} from './catalog/state-and-config-flags.ts';
import {pairsOf} from './pairs.ts';
import {print, printJson} from './print.ts';
import {answerTo, mayAsk} from './questions.ts';

/** Names under which a value in plain text looks like a mistake. */
const SECRET_LOOKING = /passw(or)?d|secret|token|api_?key|private_?key/i;

/** From a pipe all of it, at a terminal a line, without echo for a secret; undefined: no value was given. */
async function valueFromInput(input: StackInput<typeof configSetFlags>, key: string): Promise<string | undefined> {
  const {options, io} = input;
  if (mayAsk(input)) return answerTo(input, 'value: ', {hidden: options.secret});
  if (isTerminal(io.stdin)) throw new UsageError('a value is required: palisade config set KEY VALUE');
  const piped = (await readAll(io.stdin as NodeJS.ReadStream)).replace(/\r?\n$/, '');
  if (piped === '' && options.secret)
    throw new CommandError(
      `no value on standard input; give an empty secret as palisade config set --secret ${key} ""`,
    );
  return piped;
}

export async function set(input: StackInput<typeof configSetFlags>): Promise<number> {
  const {
    workspace,
    options,
    words: [key, given],
  } = input;
  if (key === undefined) throw new UsageError('a key is required: palisade config set KEY VALUE');
  if (options.secret && options.plaintext) throw new UsageError('give either --secret or --plaintext');
  configPlace(key, workspace.project.name, options.path); // throws for a wrong key before anything is asked
  const text = given ?? (await valueFromInput(input, key));
  if (text === undefined) {
    workspace.note('no value was given, nothing was changed');
    return EXIT.failed;
  }
  await setConfig(workspace, [{key, text, secret: options.secret}], options);
  if (!options.secret && !options.plaintext && SECRET_LOOKING.test(key))
    workspace.note(`note: "${key}" is stored in plain text; use --secret to encrypt it`);
  return EXIT.ok;
}

export async function setAll({workspace, options}: StackInput<typeof configSetAllFlags>): Promise<number> {
  const entries = (['plaintext', 'secret'] as const).flatMap(flag =>
    pairsOf(flag, options[flag]).map(([key, text]) => ({key, text, secret: flag === 'secret'})),
  );
  if (entries.length === 0) throw new UsageError('give --plaintext KEY=VALUE or --secret KEY=VALUE');
  await setConfig(workspace, entries, options);
  return EXIT.ok;
}

export async function get({workspace, options, words, io}: StackInput<typeof configGetFlags>): Promise<number> {
  const [key] = words;
  if (key === undefined) throw new UsageError('a key is required: palisade config get KEY');
  const found = await getConfig(workspace, key, options);
  if (options.json) printJson(io, jsonEntry(found));
  else print(io, configText(found.value));
  return EXIT.ok;
}

function jsonEntry({value, secret}: ConfigValue) {
  const structured = typeof value === 'object' && value !== null;
  return {value: configText(value), ...(structured ? {objectValue: value} : {}), secret};
}

export async function remove({workspace, options, words}: StackInput<typeof configRemoveFlags>): Promise<number> {
  const [key] = words;
  if (key === undefined) throw new UsageError('a key is required: palisade config rm KEY');
  await removeConfig(workspace, [key], options);
  return EXIT.ok;
}

export async function removeAll({workspace, options, words}: StackInput<typeof configRemoveFlags>): Promise<number> {
  if (words.length === 0) throw new UsageError('a key is required: palisade config remove-all KEY…');
  await removeConfig(workspace, words, options);
  return EXIT.ok;
}

export async function list({workspace, options, io}: StackInput<typeof configListFlags>): Promise<number> {
  const {'show-secrets': showSecrets} = options;
  const values = [...(await listConfig(workspace, {showSecrets}))];
  if (options.json) {
    const entries = values.map(([key, value]) => [
      key,
      value.secret && !showSecrets ? {secret: true} : jsonEntry(value),
    ]);
    printJson(io, Object.fromEntries(entries));
    return EXIT.ok;
  }
  const rows = values.map(
    ([key, {value}]) => [shortConfigKey(key, workspace.project.name), configText(value)] as const,
  );
  const width = Math.max(3, ...rows.map(([key]) => key.length));
  print(io, [['KEY', 'VALUE'] as const, ...rows].map(([key, value]) => `${key.padEnd(width)}  ${value}`).join('\n'));
  return EXIT.ok;
}

export async function copy({workspace, options, words}: StackInput<typeof configCopyFlags>): Promise<number> {
  if (options.dest === undefined)
    throw new UsageError('the other stack is required: palisade config cp [KEY] --dest STACK');
  await copyConfig(workspace, {to: options.dest, key: words[0], path: options.path});
  return EXIT.ok;
}

export async function refresh({workspace, options}: StackInput<typeof configRefreshFlags>): Promise<number> {
  const {stack, copy: backup} = await refreshConfig(workspace, {backup: !options.force});
  if (backup !== undefined) workspace.note(`Backed up the configuration file to ${backup}`);
  workspace.note(`Refreshed the configuration of stack '${stack}'`);
  return EXIT.ok;
}
