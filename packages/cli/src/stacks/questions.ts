// SPDX-License-Identifier: Apache-2.0
/** Questions of commands, on stderr. */
import {createInterface} from 'node:readline/promises';
import {Writable} from 'node:stream';
import {type CliIo, CommandError, isTerminal} from '../command-line/io.ts';

type Asking = {
  readonly io: CliIo;
  readonly global: {readonly 'non-interactive': boolean};
};
type AskingUnlessYes = Asking & {readonly options: {readonly yes: boolean}};

/** Whether the answer is yes; after a no a note says that nothing was changed. */
export const confirmed = (asking: Asking, question: string): Promise<boolean> =>
  answeredWith(asking, `${question} [y/N] `, answer => /^y(es)?$/i.test(answer));

/** Asks where a user can answer, as the Pulumi CLI does for edits of the state: a script continues without `--yes`. */
export async function confirmEdit(asking: AskingUnlessYes, question: string): Promise<boolean> {
  return asking.options.yes || !mayAsk(asking) || (await confirmed(asking, question));
}

/** The user types the name of the stack; `--yes` answers for them. Throws when nobody can be asked. */
export async function confirmRemoval(asking: AskingUnlessYes, stack: string): Promise<boolean> {
  if (asking.options.yes) return true;
  if (!mayAsk(asking)) throw new CommandError('cannot ask for confirmation; give --yes');
  const question = `This will permanently remove the '${stack}' stack!\nPlease confirm that this is what you'd like to do by typing \`${stack}\`: `;
  return answeredWith(asking, question, answer => answer === stack);
}

/** Whether a user can answer. */
export const mayAsk = ({global, io}: Asking): boolean => !global['non-interactive'] && isTerminal(io.stdin);

async function answeredWith(asking: Asking, question: string, agrees: (answer: string) => boolean): Promise<boolean> {
  const answer = await answerTo(asking, question);
  if (answer !== undefined && agrees(answer.trim())) return true;
  asking.io.stderr.write('confirmation declined, nothing was changed\n');
  return false;
}

/** One typed line; `hidden`: without echo. Undefined: the user left (Ctrl-C, Ctrl-D, closed terminal). */
export async function answerTo(
  {io: {stdin, stderr}}: Pick<Asking, 'io'>,
  question: string,
  {hidden = false} = {},
): Promise<string | undefined> {
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
