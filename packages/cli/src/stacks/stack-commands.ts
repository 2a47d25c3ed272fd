// SPDX-License-Identifier: Apache-2.0
/** `palisade stack …` and `palisade cancel`. */
import {resolve} from 'node:path';
import {text as readAll} from 'node:stream/consumers';
import {
  chooseStack,
  createStack,
  exportState,
  importState,
  listStacks,
  readNamedFile,
  removeStack,
  renameStack,
  unlockStack,
  type Workspace,
  writeNamedFile,
} from '@palisade/engine';
import {CommandError, EXIT, UsageError} from '../command-line/io.ts';
import type {OptionTable} from '../command-line/options.ts';
import type {StackInput} from './catalog/stack-command.ts';
import type {
  exportFlags,
  importStateFlags,
  initFlags,
  listFlags,
  removeFlags,
  selectFlags,
} from './catalog/stack-flags.ts';
import {print, printJson} from './print.ts';
import {confirmRemoval} from './questions.ts';

/** The stack that a word or --stack names. */
const namedStack = ({givenStack}: Workspace, command: string): string => {
  if (givenStack === undefined) throw new UsageError(`a stack name is required: palisade stack ${command} NAME`);
  return givenStack;
};

const create = async (workspace: Workspace, name: string, select: boolean): Promise<number> => {
  workspace.note(`Created stack '${await createStack(workspace, name, {select})}'`);
  return EXIT.ok;
};

export const init = ({workspace, options}: StackInput<typeof initFlags>): Promise<number> =>
  create(workspace, namedStack(workspace, 'init'), !options['no-select']);

export async function list({workspace, options, io}: StackInput<typeof listFlags>): Promise<number> {
  const rows = await listStacks(workspace, options);
  if (options.json) {
    printJson(io, rows);
    return EXIT.ok;
  }
  const width = Math.max(4, ...rows.map(row => row.name.length + 1));
  const lines = rows.map(({name, current, lastUpdate, resourceCount}) => {
    const marked = `${name}${current ? '*' : ''}`;
    return `${marked.padEnd(width)}  ${(lastUpdate ?? 'n/a').padEnd(24)}  ${resourceCount ?? 'n/a'}`;
  });
  print(io, [`${'NAME'.padEnd(width)}  ${'LAST UPDATE'.padEnd(24)}  RESOURCE COUNT`, ...lines].join('\n'));
  return EXIT.ok;
}

export async function select({workspace, options}: StackInput<typeof selectFlags>): Promise<number> {
  const name = namedStack(workspace, 'select');
  if (await chooseStack(workspace, name)) return EXIT.ok;
  if (options.create) return create(workspace, name, true);
  throw new CommandError(
    `no stack named '${name}' found; list the stacks with \`palisade stack ls\`, or create it with --create`,
  );
}

export async function unselect({workspace}: StackInput<OptionTable>): Promise<number> {
  await chooseStack(workspace, undefined);
  return EXIT.ok;
}

export async function exportStack({workspace, options, io}: StackInput<typeof exportFlags>): Promise<number> {
  const {file, 'show-secrets': showSecrets} = options;
  const {text, warning} = await exportState(workspace, {showSecrets});
  if (file === undefined || file === '-') print(io, text);
  else await writeNamedFile(resolve(workspace.cwd, file), `--file ${file}`, text);
  if (warning !== undefined) workspace.note(`warning: ${warning}`);
  return EXIT.ok;
}

export async function importStack({workspace, options, io}: StackInput<typeof importStateFlags>): Promise<number> {
  const {file, force} = options;
  const read = (): Promise<string> =>
    file !== undefined && file !== '-'
      ? readNamedFile(resolve(workspace.cwd, file), `--file ${file}`)
      : readAll(io.stdin as NodeJS.ReadStream);
  await importState(workspace, read, {force});
  workspace.note('Import complete.');
  return EXIT.ok;
}

export async function remove(input: StackInput<typeof removeFlags>): Promise<number> {
  const {workspace, options} = input;
  const done = await removeStack(workspace, {
    force: options.force,
    keepConfig: options['preserve-config'],
    removeBackups: options['remove-backups'],
    consent: stack => confirmRemoval(input, stack),
  });
  return done ? EXIT.ok : EXIT.failed;
}

export async function rename({workspace, words: [name]}: StackInput<OptionTable>): Promise<number> {
  if (name === undefined) throw new UsageError('the new name is required: palisade stack rename NAME');
  const {from, to} = await renameStack(workspace, name);
  workspace.note(`Renamed ${from} to ${to}`);
  return EXIT.ok;
}

export async function cancel({workspace}: StackInput<OptionTable>): Promise<number> {
  const {stack, locks} = await unlockStack(workspace);
  workspace.note(
    locks === 0 ? `stack '${stack}' was not locked` : `The currently running update for '${stack}' has been canceled!`,
  );
  return EXIT.ok;
}
