// SPDX-License-Identifier: Apache-2.0
import {createInterface} from 'node:readline/promises';
import {EngineError} from '../engine-error.ts';
import {isTerminal} from './io.ts';
import type {Workspace} from './workspace-context.ts';

/** Asks when there is somebody to ask, as the CLI does for edits of the state: a script goes on without `--yes`. */
export async function confirmEdit(workspace: Workspace, what: string): Promise<boolean> {
  const {flags, io} = workspace;
  if (flags.on('yes') || flags.on('non-interactive') || io.stdin === undefined || !isTerminal(io.stdin)) return true;
  const lines = createInterface({input: io.stdin, output: io.stderr});
  try {
    const answer = await lines.question(`${what} [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return true;
    workspace.note('confirmation declined, nothing was changed');
    return false;
  } finally {
    lines.close();
  }
}

/** The user types the stack's name; `--yes` answers for them. Throws when nobody can be asked. */
export async function confirmRemoval(workspace: Workspace, stack: string): Promise<boolean> {
  const {flags, io} = workspace;
  if (flags.on('yes')) return true;
  if (flags.on('non-interactive') || io.stdin === undefined || !isTerminal(io.stdin))
    throw new EngineError('non-interactive mode requires --yes flag');
  const lines = createInterface({input: io.stdin, output: io.stderr});
  try {
    const answer = await lines.question(
      `This will permanently remove the '${stack}' stack!\nPlease confirm that this is what you'd like to do by typing \`${stack}\`: `,
    );
    if (answer.trim() === stack) return true;
    workspace.note('confirmation declined, nothing was changed');
    return false;
  } finally {
    lines.close();
  }
}
