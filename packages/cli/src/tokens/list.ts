// SPDX-License-Identifier: Apache-2.0
/** `palisade token list`: who has a token, until when. Never the token. */
import {systemClock} from '@palisade/server/system';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalCell, terminalJson} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {allTokens, selectorOf, tokenRow} from './objects.ts';
import {listFlags} from './token-flags.ts';

const HEAD = ['NAME', 'USER', 'GROUPS', 'EXPIRES', 'CREATED', 'CREATED BY', 'DESCRIPTION'] as const;

const cellsOf = (row: ReturnType<typeof tokenRow>, nowMs: number): string[] => {
  const isOver = row.expires !== null && Date.parse(row.expires) <= nowMs;
  return [
    row.name,
    row.user,
    row.groups.join(',') || '-',
    row.expires === null ? 'never' : isOver ? 'expired' : row.expires,
    row.created,
    row.createdBy || '-',
    row.description ?? '',
  ].map(terminalCell);
};

export const tokenTable = (rows: readonly ReturnType<typeof tokenRow>[], nowMs: number): string => {
  const lines = [[...HEAD], ...rows.map(row => cellsOf(row, nowMs))];
  const widths = HEAD.map((_, at) => Math.max(...lines.map(line => line[at]?.length ?? 0)));
  return lines
    .map(line => `${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd())
    .map(line => `${line}\n`)
    .join('');
};

export const runList = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags} = parseOptions(words, listFlags);
  return withKubeClient(flags, io, async client => {
    const rows: ReturnType<typeof tokenRow>[] = [];
    const selector = flags.user === undefined ? undefined : selectorOf('spec.user', flags.user);
    for await (const token of allTokens(client, selector)) rows.push(tokenRow(token));
    if (flags.json) for (const row of rows) io.stdout.write(`${terminalJson(row)}\n`);
    else if (rows.length > 0) io.stdout.write(tokenTable(rows, systemClock.now()));
    else io.stderr.write('palisade: no access tokens\n');
    return EXIT.ok;
  });
};
