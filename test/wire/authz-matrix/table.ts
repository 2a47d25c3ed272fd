// SPDX-License-Identifier: Apache-2.0
/** The tables of this folder as they are read: a line is a route, the cells of its columns are the users of the header. */
import {readFileSync} from 'node:fs';

/** `+` allowed, `.` refused, `o` allowed in the own namespace or project and refused in another one. */
export type Cell = '+' | '.' | 'o';
export type Row = {
  /** What stands before the cells, such as verb and path. */
  readonly words: readonly string[];
  readonly cells: ReadonlyMap<string, Cell>;
  /** `FILE:LINE`. */
  readonly at: string;
};

const isCell = (text: string): text is Cell => text === '+' || text === '.' || text === 'o';

/** `words`: how many columns a row has before its cells. Throws for a line that is no row. */
export const readTable = (name: string, words: number): readonly Row[] => {
  const file = `test/wire/authz-matrix/${name}`;
  const lines = readFileSync(file, 'utf8').split('\n');
  const header = lines.find(line => line.startsWith('# ') && line.trim().endsWith(' anon')) ?? '';
  const columns = header.slice(1).trim().split(/\s+/).slice(words);
  return lines.flatMap((line, index): Row[] => {
    if (line === '' || line.startsWith('#')) return [];
    const parts = line.split(/\s+/);
    const cells = parts.slice(words).filter(isCell);
    const at = `${file}:${index + 1}`;
    if (parts.length !== words + columns.length || cells.length !== columns.length)
      throw new Error(`${at}: not ${words} words and ${columns.length} cells`);
    return [{words: parts.slice(0, words), cells: new Map(cells.map((cell, i) => [columns[i] ?? '', cell])), at}];
  });
};

export type Case = {
  readonly row: Row;
  readonly user: string;
  /** `own` or `other`, where the row has a namespace. */
  readonly namespace: string;
  readonly isAllowed: boolean;
};

/** A request for each cell; two where the row has a namespace, one of them in another one than the user's own. */
export const casesOf = (rows: readonly Row[]): readonly Case[] =>
  rows.flatMap(row =>
    [...row.cells].flatMap(([user, cell]) => {
      const namespaces = row.words.some(word => word.includes('{ns}')) ? ['own', 'other'] : [''];
      if (cell === 'o' && namespaces.length === 1) throw new Error(`${row.at}: "o" without {ns}`);
      return namespaces.map(namespace => ({
        row,
        user,
        namespace,
        isAllowed: cell === '+' || (cell === 'o' && namespace === 'own'),
      }));
    }),
  );

/** Runs `check` for all cases, a few at once; the value are the lines of those that are not as the table says. */
export const mismatches = async (
  cases: readonly Case[],
  check: (of: Case) => Promise<string | undefined>,
): Promise<readonly string[]> => {
  const faults: string[] = [];
  const waiting = cases.values();
  const work = async (): Promise<void> => {
    for (const each of waiting) {
      const fault = await check(each);
      const {row, user, namespace, isAllowed} = each;
      const where = namespace === '' ? '' : ` in ${namespace}`;
      if (fault !== undefined)
        faults.push(`${row.at} ${user}${where}: expected ${isAllowed ? 'allowed' : 'refused'}, got ${fault}`);
    }
  };
  await Promise.all(Array.from({length: 12}, work));
  return faults.sort();
};
