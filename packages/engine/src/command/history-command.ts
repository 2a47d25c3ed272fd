// SPDX-License-Identifier: Apache-2.0
/** `palisade stack history`. */
import type {UpdateRecord} from '../backend/file-backend.ts';
import {UsageError} from '../engine-error.ts';
import type {Json} from '../state/resource-json.ts';
import {configText, holdsSecure, revealConfig} from '../workspace/config-value.ts';
import {EXIT} from './io.ts';
import {unlockSecrets, type Workspace} from './workspace-context.ts';

const PAGE_SIZE = 10;

/** Undefined: secrets stay hidden. */
type Open = ((sealed: string) => string) | undefined;

export async function stackHistory(workspace: Workspace): Promise<number> {
  const page = countOf(workspace, 'page') ?? 1;
  const size = countOf(workspace, 'page-size') ?? PAGE_SIZE;
  const ref = await workspace.currentStack();
  const all = await (await workspace.backend()).history(ref);
  const shown = all.slice((page - 1) * size, page * size);
  if (workspace.flags.on('json')) {
    const open = shown.some(hasSecrets) ? await openerFor(workspace) : undefined;
    workspace.print(
      JSON.stringify(
        shown.map(update => updateJson(update, open)),
        undefined,
        2,
      ),
    );
  } else if (shown.length === 0)
    workspace.print(page > 1 ? `No stack updates found on page '${page}'` : 'Stack has never been updated');
  else workspace.print(`${shown.map(update => updateLines(update).join('\n')).join('\n\n')}\n\n`);
  return EXIT.ok;
}

function countOf({flags}: Workspace, flag: 'page' | 'page-size'): number | undefined {
  const text = flags.text(flag);
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--${flag} ${text}: expected a number from 1`);
  return text === undefined ? undefined : Number(text);
}

const hasSecrets = ({config}: UpdateRecord): boolean => Object.values(config).some(holdsSecure);

async function openerFor(workspace: Workspace): Promise<Open> {
  if (!workspace.flags.on('show-secrets')) return undefined;
  const stack = await workspace.openStack(await workspace.currentStack());
  await unlockSecrets(stack);
  return sealed => stack.secrets.decrypt(sealed);
}

const timeOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The members and their order are the CLI's. */
function updateJson(update: UpdateRecord, open: Open) {
  const {version = 0, kind, startTime, message, environment, config, result, endTime, resourceChanges = {}} = update;
  const shown = Object.entries(config).map(([key, value]) => [key, valueJson(value, open)] as const);
  return {
    version, kind, startTime: timeOf(startTime), message, environment, config: Object.fromEntries(shown), result,
    endTime: timeOf(endTime), resourceChanges,
  }; // biome-ignore format: a table
}

function valueJson(stored: Json, open: Open) {
  const secret = holdsSecure(stored);
  if (secret && open === undefined) return {secret};
  const value = open === undefined ? stored : revealConfig(stored, open);
  const structured = typeof value === 'object' && value !== null;
  return {value: configText(value), ...(structured ? {objectValue: value} : {}), secret};
}

function updateLines(update: UpdateRecord): string[] {
  const {version = 0, kind, startTime, message, environment, result, endTime} = update;
  const count = (op: string): number => update.resourceChanges?.[op] ?? 0;
  return [
    `Version: ${version}`,
    `UpdateKind: ${kind}`,
    `Status: ${result}`,
    `Message: ${message}`,
    `+${count('create')}-${count('delete')}~${count('update')} ${count('same')} Updated ${timeOf(startTime)} took ${endTime - startTime}s`,
    ...Object.entries(environment)
      .filter(([, value]) => value.trim() !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `    ${key}: ${value}`),
  ];
}
