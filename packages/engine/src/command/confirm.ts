// SPDX-License-Identifier: Apache-2.0
/** Questions of commands. */
import {createInterface} from 'node:readline/promises';
import {Writable} from 'node:stream';
import {EngineError} from '../engine-error.ts';
import {isTerminal} from './io.ts';
import type {Workspace} from './workspace-context.ts';

/** Whether the answer is yes; a no is told. */
export const confirmed = (workspace: Workspace, question: string): Promise<boolean> =>
  answeredWith(workspace, `${question} [y/N] `, answer => /^y(es)?$/i.test(answer));

/** Asks when there is somebody to ask, as the CLI does for edits of the state: a script goes on without `--yes`. */
export async function confirmEdit(workspace: Workspace, question: string): Promise<boolean> {
  return workspace.flags.on('yes') || !mayAsk(workspace) || (await confirmed(workspace, question));
}

/** The user types the stack's name; `--yes` answers for them. Throws when nobody can be asked. */
export async function confirmRemoval(workspace: Workspace, stack: string): Promise<boolean> {
  if (workspace.flags.on('yes')) return true;
  if (!mayAsk(workspace)) throw new EngineError('non-interactive mode requires --yes flag');
  const question = `This will permanently remove the '${stack}' stack!\nPlease confirm that this is what you'd like to do by typing \`${stack}\`: `;
  return answeredWith(workspace, question, answer => answer === stack);
}

/** Whether there is somebody at the other end. */
export const mayAsk = ({flags, io}: Workspace): boolean => !flags.on('non-interactive') && isTerminal(io.stdin);

async function answeredWith(
  workspace: Workspace,
  question: string,
  agrees: (answer: string) => boolean,
): Promise<boolean> {
  const answer = await answerTo(workspace, question);
  if (answer !== undefined && agrees(answer.trim())) return true;
  workspace.note('confirmation declined, nothing was changed');
  return false;
}

/** What is typed in a line; `hidden` is not shown. Undefined: who was asked left (Ctrl-C, Ctrl-D, no terminal any more). */
export async function answerTo(
  {io: {stdin, stderr}}: Workspace,
  question: string,
  {hidden = false} = {},
): Promise<string | undefined> {
  if (stdin === undefined) return undefined;
  if (hidden) stderr.write(question);
  const nowhere = new Writable({write: (_chunk, _encoding, done) => done()});
  const lines = createInterface({input: stdin, ...(hidden ? {output: nowhere, terminal: true} : {output: stderr})});
  const left = new AbortController();
  lines.once('close', () => left.abort());
  try {
    return await lines.question(hidden ? '' : question, {signal: left.signal});
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    return undefined;
  } finally {
    lines.close();
    if (hidden) stderr.write('\n');
  }
}
