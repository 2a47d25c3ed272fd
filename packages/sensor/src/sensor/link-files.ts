// SPDX-License-Identifier: Apache-2.0
import {constants} from 'node:fs';
import {copyFile, link, rename, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {systemCode} from '../sensor-error.ts';

/** The folders are on two file systems, links are not permitted, or a file has too many of them. */
const CANNOT_LINK = new Set(['EXDEV', 'EPERM', 'EMLINK']);

/** Each file in `to` in one step, as a link where that is possible: 100 sensors share one copy of the rules. */
export const linkFiles = async (from: string, names: readonly string[], to: string): Promise<void> => {
  for (const name of names) {
    const fresh = join(to, `${name}.new`);
    await rm(fresh, {force: true});
    await link(join(from, name), fresh).catch(async (error: unknown) => {
      if (!CANNOT_LINK.has(systemCode(error) ?? '')) throw error;
      await copyFile(join(from, name), fresh, constants.COPYFILE_EXCL); // not through a link that Suricata's user has put there
    });
    await rename(fresh, join(to, name));
  }
};
