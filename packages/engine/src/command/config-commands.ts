// SPDX-License-Identifier: Apache-2.0
/** `palisade config …`: the values of Pulumi.<stack>.yaml. */
import {text as readAll} from 'node:stream/consumers';
import {EngineError, UsageError} from '../engine-error.ts';
import type {Json} from '../state/resource-json.ts';
import {configPlace, placedText, removeAtPlace, setAtPlace} from '../workspace/config-place.ts';
import {configText, getAt, holdsSecure, isSecure, revealConfig, shortConfigKey} from '../workspace/config-value.ts';
import type {StackConfig} from '../workspace/stack-config.ts';
import {answerTo, mayAsk} from './confirm.ts';
import {EXIT, isTerminal} from './io.ts';
import {unlockSecrets, type Workspace} from './workspace-context.ts';

/** Names under which a value in the clear looks like a mistake. */
const SECRET_LOOKING = /passw(or)?d|secret|token|api_?key|private_?key/i;

async function opened(workspace: Workspace): Promise<StackConfig> {
  return workspace.stackConfig(await workspace.currentStack());
}

/** From a pipe all of it, from who sits at a terminal a line, which is not shown with `--secret`; undefined: they left. */
async function valueFromInput(workspace: Workspace): Promise<string | undefined> {
  const {flags, io} = workspace;
  if (mayAsk(workspace)) return answerTo(workspace, 'value: ', {hidden: flags.on('secret')});
  if (io.stdin === undefined || isTerminal(io.stdin))
    throw new UsageError('a value is needed: palisade config set KEY VALUE');
  return (await readAll(io.stdin as never)).replace(/\r?\n$/, '');
}

export async function configSet(workspace: Workspace, [key, given]: readonly string[]): Promise<number> {
  if (key === undefined) throw new UsageError('a key is needed: palisade config set KEY VALUE');
  const {flags} = workspace;
  if (flags.on('secret') && flags.on('plaintext')) throw new UsageError('give either --secret or --plaintext');
  const place = configPlace(key, workspace.project.name, workspace.flags.on('path'));
  const text = given ?? (await valueFromInput(workspace));
  if (text === undefined) {
    workspace.note('no value was given, nothing was changed');
    return EXIT.failed;
  }
  const ref = await workspace.currentStack(undefined, {isNew: true});
  const config = await workspace.stackConfig(ref, {mayBeMissing: true});
  let value: Json = placedText(place, text);
  if (flags.on('secret')) {
    const {secrets} = await workspace.openStack(ref, {mayBeMissing: true});
    await unlockSecrets({config, secrets});
    value = {secure: secrets.encrypt(text)};
  } else if (!flags.on('plaintext') && SECRET_LOOKING.test(key))
    workspace.note(`note: "${key}" is stored in the clear; use --secret to encrypt it`);
  setAtPlace(config, place, value);
  await config.save();
  return EXIT.ok;
}

export async function configGet(workspace: Workspace, [key]: readonly string[]): Promise<number> {
  if (key === undefined) throw new UsageError('a key is needed: palisade config get KEY');
  const place = configPlace(key, workspace.project.name, workspace.flags.on('path'));
  const ref = await workspace.currentStack();
  const config = await workspace.stackConfig(ref);
  const value = getAt(config.merged().get(place.key), place.path);
  if (value === undefined)
    throw new EngineError(
      `configuration key '${shortConfigKey(key, workspace.project.name)}' not found for stack '${ref.name}'`,
    );
  const open = await openerFor(workspace, value);
  const shown = revealConfig(value, open);
  if (workspace.flags.on('json')) workspace.print(JSON.stringify(jsonEntry(value, shown), undefined, 2));
  else workspace.print(configText(shown));
  return EXIT.ok;
}

async function openerFor(workspace: Workspace, value: Json): Promise<(sealed: string) => string> {
  if (!holdsSecure(value)) return sealed => sealed;
  const stack = await workspace.openStack(await workspace.currentStack());
  await unlockSecrets(stack);
  return sealed => stack.secrets.decrypt(sealed);
}

function jsonEntry(stored: Json, shown: Json) {
  const structured = typeof shown === 'object' && shown !== null;
  return {value: configText(shown), ...(structured ? {objectValue: shown} : {}), secret: holdsSecure(stored)};
}

export async function configRemove(workspace: Workspace, [key]: readonly string[]): Promise<number> {
  if (key === undefined) throw new UsageError('a key is needed: palisade config rm KEY');
  const config = await opened(workspace);
  removeAtPlace(config, configPlace(key, workspace.project.name, workspace.flags.on('path')));
  await config.save();
  return EXIT.ok;
}

export async function configList(workspace: Workspace): Promise<number> {
  const {flags} = workspace;
  const config = await opened(workspace);
  const entries = [...config.merged()].sort(([a], [b]) => (a < b ? -1 : 1));
  const open = flags.on('show-secrets')
    ? await openerFor(
        workspace,
        entries.map(([, value]) => value),
      )
    : undefined;
  const shown = entries.map(([key, value]) => ({
    key,
    stored: value,
    value: open === undefined ? hideSecure(value) : revealConfig(value, open),
  }));
  if (flags.on('json')) {
    const json = Object.fromEntries(
      shown.map(({key, stored, value}) => {
        const entry = jsonEntry(stored, value);
        return [key, entry.secret && open === undefined ? {secret: true} : entry];
      }),
    );
    workspace.print(JSON.stringify(json, undefined, 2));
    return EXIT.ok;
  }
  const rows = shown.map(({key, value}) => ({
    key: shortConfigKey(key, workspace.project.name),
    value: configText(value),
  }));
  const width = Math.max(3, ...rows.map(row => row.key.length));
  workspace.print(
    [`${'KEY'.padEnd(width)}  VALUE`, ...rows.map(row => `${row.key.padEnd(width)}  ${row.value}`)].join('\n'),
  );
  return EXIT.ok;
}

function hideSecure(value: Json): Json {
  if (isSecure(value)) return '[secret]';
  if (Array.isArray(value)) return value.map((member: Json) => hideSecure(member));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, hideSecure(member as Json)]),
  );
}
