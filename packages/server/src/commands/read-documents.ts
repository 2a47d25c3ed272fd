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

/** Empty documents are left out. Throws CommandError with every fault; `where` is what the text came from. */
export const readDocuments = async (text: string, where: string): Promise<unknown[]> => {
  const json = asJson(text) ?? asJsonLines(text);
  if (json !== undefined) return json;
  const {parseAllDocuments} = await import('yaml');
  const documents = [...parseAllDocuments(text)];
  const faults = documents.flatMap(({errors}) => errors);
  if (faults.length > 0)
    throw new CommandError(faults.map(fault => `${where}: neither JSON nor YAML: ${fault.message}`).join('\n'), {
      cause: faults[0],
    });
  try {
    return documents.map(document => document.toJS() as unknown).filter(value => value !== null && value !== undefined);
  } catch (error) {
    throw new CommandError(`${where}: ${(error as Error).message}`, {cause: error}); // aliases
  }
};
