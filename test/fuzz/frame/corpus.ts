// SPDX-License-Identifier: Apache-2.0
/** Seeds as files: test/fuzz/corpus/NAME/*. Those that begin with `found-` are findings that were mended. */
import {createHash} from 'node:crypto';
import {mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Target} from './target.ts';

const CORPUS = join(import.meta.dirname, '../corpus');

export type Seed = {readonly name: string; readonly bytes: Buffer};

const filesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
};

/** Folders of the corpus, each of which must be of a target. */
export const corpusNames = (): readonly string[] => filesIn(CORPUS);

/** The files, then the short seeds of the target. */
export const seedsOf = ({name, also = [], seeds = []}: Target): readonly Seed[] => [
  ...[name, ...also].flatMap(folder =>
    filesIn(join(CORPUS, folder)).map(file => ({
      name: `${folder}/${file}`,
      bytes: readFileSync(join(CORPUS, folder, file)),
    })),
  ),
  ...seeds.map((seed, i) => ({name: `${name}, seed ${i}`, bytes: Buffer.from(seed as string)})),
];

const RESULTS = join(import.meta.dirname, '../../../test-results/fuzz');

/** Keeps an input that broke a rule, with the corpus or for now only; gives its path. */
export function keepFinding(name: string, kind: string, bytes: Uint8Array, inCorpus: boolean): string {
  const folder = join(inCorpus ? CORPUS : RESULTS, name);
  mkdirSync(folder, {recursive: true});
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const path = join(folder, `found-${kind}-${digest}`);
  writeFileSync(path, bytes);
  return path;
}
