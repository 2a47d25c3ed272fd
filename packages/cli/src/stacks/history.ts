// SPDX-License-Identifier: Apache-2.0
/** `palisade stack history`. */
import {
  configText,
  decrypter,
  holdsSecure,
  type Json,
  stackHistory as readHistory,
  revealConfig,
  type UpdateRecord,
} from '@palisade/engine';
import {EXIT, UsageError} from '../command-line/io.ts';
import type {StackInput} from './catalog/stack-command.ts';
import type {historyFlags} from './catalog/stack-flags.ts';
import {print, printJson} from './print.ts';

/** Undefined: secrets stay hidden. */
type Open = ((sealed: string) => string) | undefined;

export async function stackHistory({workspace, options, io}: StackInput<typeof historyFlags>): Promise<number> {
  const page = countOf('page', options.page);
  const size = countOf('page-size', options['page-size']);
  const shown = (await readHistory(workspace)).slice((page - 1) * size, page * size);
  if (options.json) {
    const open = options['show-secrets'] && shown.some(hasSecrets) ? await decrypter(workspace) : undefined;
    printJson(
      io,
      shown.map(update => updateJson(update, open)),
    );
  } else if (shown.length === 0)
    print(io, page > 1 ? `No stack updates found on page '${page}'` : 'Stack has never been updated');
  else print(io, `${shown.map(update => updateLines(update).join('\n')).join('\n\n')}\n\n`);
  return EXIT.ok;
}

function countOf(flag: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${flag} ${text}: must be a whole number, 1 or more`);
  return Number(text);
}

const hasSecrets = ({config}: UpdateRecord): boolean => Object.values(config).some(holdsSecure);

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
