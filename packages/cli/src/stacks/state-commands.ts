// SPDX-License-Identifier: Apache-2.0
/** `palisade state …`. */
import {
  type Chosen,
  deleteFromState,
  isUrn,
  LIST_URNS,
  mendedLines,
  protectInState,
  renameInState,
  repairState,
  urnName,
} from '@palisade/engine';
import {EXIT, UsageError} from '../command-line/io.ts';
import {counted} from '../text/figures.ts';
import type {StackInput} from './catalog/stack-command.ts';
import type {deleteFlags, protectFlags, yesFlags} from './catalog/state-and-config-flags.ts';
import {confirmEdit} from './questions.ts';

const QUESTION = "This command will edit your stack's state directly. Confirm?";
const PROTECT_QUESTION =
  "This command will edit your stack's state directly. The next `palisade up` removes the protection unless the program sets it too. Confirm?";

type Editing = StackInput<typeof yesFlags>;
const consentTo =
  (input: Pick<Editing, 'io' | 'global' | 'options'>, question = QUESTION) =>
  (): Promise<boolean> =>
    confirmEdit(input, question);

export async function deleteResources(input: StackInput<typeof deleteFlags>): Promise<number> {
  const {workspace, options, words} = input;
  const count = await deleteFromState(workspace, urnsOrAll(options.all, words, 'delete'), {
    force: options.force,
    dependents: options['target-dependents'],
    consent: consentTo(input),
  });
  if (count !== undefined) workspace.note(`${counted(count, 'resource')} deleted from the state`);
  return count === undefined ? EXIT.failed : EXIT.ok;
}

export const protect = (input: StackInput<typeof protectFlags>): Promise<number> => setProtection(input, true);

export const unprotect = (input: StackInput<typeof protectFlags>): Promise<number> => setProtection(input, false);

async function setProtection(input: StackInput<typeof protectFlags>, isOn: boolean): Promise<number> {
  const {workspace, options, words} = input;
  const word = isOn ? 'protect' : 'unprotect';
  const count = await protectInState(workspace, urnsOrAll(options.all, words, word), {
    protect: isOn,
    consent: consentTo(input, isOn ? PROTECT_QUESTION : QUESTION),
  });
  if (count !== undefined) workspace.note(`${counted(count, 'resource')} ${word}ed`);
  return count === undefined ? EXIT.failed : EXIT.ok;
}

export async function rename(input: Editing): Promise<number> {
  const {
    workspace,
    words: [urn, name = ''],
  } = input;
  if (urn === undefined || name === '')
    throw new UsageError('a URN and the new name are required: palisade state rename URN NAME');
  assertUrns([urn]);
  const done = await renameInState(workspace, {urn, name, consent: consentTo(input)});
  if (done) workspace.note(`Renamed ${urnName(urn)} to ${name}`);
  return done ? EXIT.ok : EXIT.failed;
}

export async function repair(input: Editing): Promise<number> {
  const {workspace} = input;
  const faults = await repairState(workspace, {consent: consentTo(input)});
  if (faults === undefined) return EXIT.failed;
  for (const line of mendedLines(faults)) workspace.note(line);
  if (faults.length === 0) workspace.note('The state is consistent, nothing was changed');
  return EXIT.ok;
}

function urnsOrAll(all: boolean, urns: readonly string[], verb: string): Chosen {
  if (all && urns.length > 0) throw new UsageError('give either URNs or --all');
  if (!all && urns.length === 0) throw new UsageError(`a URN is required: palisade state ${verb} URN…, or --all`);
  assertUrns(urns);
  return all ? 'all' : urns;
}

function assertUrns(urns: readonly string[]): void {
  const wrong = urns.filter(urn => !isUrn(urn));
  if (wrong.length > 0) throw new UsageError(wrong.map(urn => `'${urn}' is not a URN; ${LIST_URNS}`).join('\n'));
}
