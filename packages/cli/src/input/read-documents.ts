// SPDX-License-Identifier: Apache-2.0
/** JSON or YAML text of a user → the documents in it: one JSON value, JSON values one a line, or YAML documents. */
import {DecodeError} from '@palisade/kube-wire';
import {CommandError} from '../command-line/io.ts';

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

/** How many faults of a file are reported. */
const FAULTS_MAX = 100;

/** The faults to report, and a line that says when there are more. */
export const cut = (faults: readonly string[], where: string): readonly string[] =>
  faults.length <= FAULTS_MAX ? faults : [...faults.slice(0, FAULTS_MAX), `${where}: more faults follow`];

/** Empty documents are left out. Throws CommandError with every fault; `where` is what the text came from. */
export const readDocuments = async (text: string, where: string): Promise<unknown[]> => {
  const json = asJson(text) ?? asJsonLines(text);
  if (json !== undefined) return json;
  const [{LineCounter, parseAllDocuments}, {depthFault, yamlFaults}, {yamlToJson}] = await Promise.all([
    import('yaml'),
    import('@palisade/engine/yaml-faults'),
    import('@palisade/kube-wire/yaml'),
  ]);
  const tooDeep = depthFault(text);
  if (tooDeep !== undefined) throw new CommandError(`${where}:${tooDeep}`);
  const lineCounter = new LineCounter();
  // This library reports every fault, with its place. The server's reader decides what a document means: as in kubectl (YAML 1.1).
  const documents = [...parseAllDocuments(text, {lineCounter, prettyErrors: false, merge: true})];
  const faults = yamlFaults(documents, lineCounter).map(fault => `${where}:${fault}`);
  if (faults.length > 0) throw new CommandError(cut(faults, where).join('\n'));
  const values = documents.map(({range: [start, , end]}, i) => {
    try {
      return JSON.parse(yamlToJson(Buffer.from(text.slice(start, end))).text) as unknown;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      faults.push(`${where}: ${documents.length === 1 ? '' : `document ${i + 1}: `}${error.message}`);
      return undefined;
    }
  });
  if (faults.length > 0) throw new CommandError(cut(faults, where).join('\n'));
  return values.filter(value => value !== null && value !== undefined);
};
