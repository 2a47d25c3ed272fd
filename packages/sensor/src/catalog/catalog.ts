// SPDX-License-Identifier: Apache-2.0
/**
 * Every rule of a rule set with its text, its place and what became of it: `catalog.ndjson` in the folder of the compiled set. It is read
 * when somebody asks, since its texts are many times larger than what the sensors need of the rules.
 */
import {createReadStream} from 'node:fs';
import {join} from 'node:path';
import type {RuleState} from '@palisade/ids-wire';
import {replaceFile} from '../replace-file.ts';
import {systemCode} from '../sensor-error.ts';
import {LineSplitter} from '../suricata/engine-log.ts';

export type CatalogRule = {
  /** As the user gave it. */
  readonly file: string;
  /** Its first line, from 1. */
  readonly line: number;
  readonly state: RuleState;
  /** Why it is not active; '' for an active rule. */
  readonly reason: string;
  readonly text: string;
};

const CATALOG_FILE = 'catalog.ndjson';

export const writeCatalog = (folder: string, rules: readonly CatalogRule[]): Promise<void> =>
  replaceFile(join(folder, CATALOG_FILE), rules.map(rule => `${JSON.stringify(rule)}\n`).join(''), 0o600);

/** The rules whose line is wanted. Empty for a set that an older version of the product compiled. */
export const readCatalog = async (
  folder: string,
  isWanted: (line: string) => boolean = () => true,
): Promise<CatalogRule[]> => {
  const rules: CatalogRule[] = [];
  const lines = new LineSplitter(line => {
    if (isWanted(line)) rules.push(JSON.parse(line) as CatalogRule);
  });
  try {
    for await (const chunk of createReadStream(join(folder, CATALOG_FILE), 'utf8')) lines.push(chunk as string);
    lines.end();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  return rules;
};
