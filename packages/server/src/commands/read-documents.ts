// SPDX-License-Identifier: Apache-2.0
/** JSON or YAML text of a user → the documents in it: one JSON value, JSON values one a line, or YAML documents. */
import {CommandError} from '../cli/io.ts';

const asJson = (text: string): unknown[] | undefined => {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return undefined; // tried as something else
  }
};

/** What `--json` prints for several objects. */
const asJsonLines = (text: string): unknown[] | undefined => {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const values = lines.flatMap(line => asJson(line) ?? []);
  return lines.length > 0 && values.length === lines.length ? values : undefined;
};

/** How many faults of a file are told. */
const FAULTS_MAX = 100;

/** The faults that are told, and a line that says when there are more. */
export const cut = (faults: readonly string[], where: string): readonly string[] =>
  faults.length <= FAULTS_MAX ? faults : [...faults.slice(0, FAULTS_MAX), `${where}: and more faults`];

/** Empty documents are left out. Throws CommandError with every fault; `where` is what the text came from. */
export const readDocuments = async (text: string, where: string): Promise<unknown[]> => {
  const json = asJson(text) ?? asJsonLines(text);
  if (json !== undefined) return json;
  const [{LineCounter, parseAllDocuments}, {yamlFaults}] = await Promise.all([
    import('yaml'),
    import('@palisade/engine/yaml-faults'),
  ]);
  const lineCounter = new LineCounter();
  const documents = [...parseAllDocuments(text, {lineCounter, prettyErrors: false})];
  const faults = yamlFaults(documents, lineCounter).map(fault => `${where}:${fault}`);
  if (faults.length > 0) throw new CommandError(cut(faults, where).join('\n'));
  try {
    return documents.map(document => document.toJS() as unknown).filter(value => value !== null && value !== undefined);
  } catch (error) {
    const what = (error as Error).message; // too many aliases
    throw new CommandError(`${where}: ${what}: write the values out where they stand`, {cause: error});
  }
};
