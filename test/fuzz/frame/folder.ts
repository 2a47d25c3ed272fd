// SPDX-License-Identifier: Apache-2.0
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A folder for one input. */
export const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'palisade-fuzz-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
};
