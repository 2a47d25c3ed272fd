// SPDX-License-Identifier: Apache-2.0
/**
 * The files of a data folder that a backup has in addition to the objects: `pki`, without which every kubeconfig and every token of a
 * service account would end with a restore. Left out: `kubeconfig` and `server.json` (written at each start), `sensors` (made from the
 * store and the rules), `audit` and logs (of this machine).
 */
import {readdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {PKI_FOLDER} from '../process/data-folder.ts';
import {isMemberPath} from './manifest.ts';
import type {DataFile} from './write-archive.ts';

/** Of a file that is being written. Ref: process/replace-file.ts. */
const DRAFT = /\.new$/;
const ATTEMPTS = 5;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const readPki = async (dir: string): Promise<readonly DataFile[]> => {
  const folder = join(dir, PKI_FOLDER);
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
  const wanted = names.filter(name => !DRAFT.test(name) && isMemberPath(name)).sort();
  const read = async (name: string): Promise<readonly DataFile[]> => {
    const file = join(folder, name);
    const isFile = (await stat(file)).isFile(); // also where a link leads, as in a mounted secret
    return isFile ? [{path: `${PKI_FOLDER}/${name}`, content: await readFile(file)}] : [];
  };
  return (await Promise.all(wanted.map(read))).flat();
};

const isSame = (a: readonly DataFile[], b: readonly DataFile[]): boolean =>
  a.length === b.length && a.every(({path, content}, i) => path === b[i]?.path && content.equals(b[i].content));

/** All files of one moment: they are read until nothing changed in between, as `palisade certs rotate` replaces several. */
export const readDataFiles = async (dir: string): Promise<readonly DataFile[]> => {
  let before: readonly DataFile[] | undefined;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await readPki(dir).catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return undefined; // one was replaced meanwhile
      throw error;
    });
    if (found !== undefined && before !== undefined && isSame(found, before)) return found;
    before = found;
  }
  throw new Error(`${join(dir, PKI_FOLDER)} changed while it was read; try again`);
};
