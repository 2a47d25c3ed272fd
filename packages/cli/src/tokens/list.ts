// SPDX-License-Identifier: Apache-2.0
/** `palisade token list`: users with a token, and its end. Never the token. */
import {systemClock} from '@palisade/server/system';
import {type CliIo, EXIT} from '../command-line/io.ts';
import {parseOptions} from '../command-line/options.ts';
import {terminalCell, terminalJson} from '../command-line/terminal-text.ts';
import {withKubeClient} from '../connection/kube-connection.ts';
import {alignedRows} from '../text/table.ts';
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

export const runList = async (words: readonly string[], io: CliIo): Promise<number> => {
  const {options: flags} = parseOptions(words, listFlags);
  return withKubeClient(flags, io, async client => {
    const rows: ReturnType<typeof tokenRow>[] = [];
    const selector = flags.user === undefined ? undefined : selectorOf('spec.user', flags.user);
    for await (const token of allTokens(client, selector)) rows.push(tokenRow(token));
    if (flags.json) for (const row of rows) io.stdout.write(`${terminalJson(row)}\n`);
    else if (rows.length === 0) io.stderr.write('palisade: no access tokens\n');
    else {
      const nowMs = systemClock.now();
      io.stdout.write(alignedRows([HEAD, ...rows.map(row => cellsOf(row, nowMs))]));
    }
    return EXIT.ok;
  });
};
