// SPDX-License-Identifier: Apache-2.0
/** JSON or YAML text of a user → the documents in it: one JSON value, JSON values one a line, or YAML documents. */
import {resolveScalar} from '@palisade/apiserver/yaml';
import type {Scalar} from 'yaml';
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

/** What a scalar without quotes and tag means; keys stay as they are written. */
const plainValue = (text: string): unknown => {
  const {value} = resolveScalar(text);
  return typeof value === 'bigint' ? Number(value) : value;
};

/** Empty documents are left out. YAML means what it means to kubectl: `012` is 10, `on` is true (YAML 1.1). Throws CommandError with every fault; `where` is what the text came from. */
export const readDocuments = async (text: string, where: string): Promise<unknown[]> => {
  const json = asJson(text) ?? asJsonLines(text);
  if (json !== undefined) return json;
  const [{LineCounter, parseAllDocuments, visit}, {yamlFaults}] = await Promise.all([
    import('yaml'),
    import('@palisade/engine/yaml-faults'),
  ]);
  const lineCounter = new LineCounter();
  const options = {lineCounter, prettyErrors: false, schema: 'failsafe', merge: true} as const;
  const documents = [...parseAllDocuments(text, options)];
  const resolve = (key: unknown, node: Scalar): void => {
    if (key !== 'key' && node.type === 'PLAIN' && node.tag === undefined) node.value = plainValue(String(node.value));
  };
  for (const document of documents) visit(document, {Scalar: resolve});
  const faults = yamlFaults(documents, lineCounter).map(fault => `${where}:${fault}`);
  if (faults.length > 0) throw new CommandError(cut(faults, where).join('\n'));
  try {
    return documents.map(document => document.toJS() as unknown).filter(value => value !== null && value !== undefined);
  } catch (error) {
    const what = (error as Error).message; // too many aliases
    throw new CommandError(`${where}: ${what}: write the values out where they stand`, {cause: error});
  }
};
