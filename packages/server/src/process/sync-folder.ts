// SPDX-License-Identifier: Apache-2.0
import {mkdir, open} from 'node:fs/promises';
import {dirname, resolve} from 'node:path';

/** The names in the folder are on disk when it resolves. */
export const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes a folder of its owner alone, with its parents; their names are on disk when it resolves. */
export const makePrivateFolder = async (folder: string): Promise<void> => {
  const path = resolve(folder);
  const firstMade = await mkdir(path, {recursive: true, mode: 0o700});
  if (firstMade === undefined) return;
  for (let at = dirname(path); ; at = dirname(at)) {
    await syncFolder(at);
    if (at === dirname(firstMade)) return;
  }
};
