// SPDX-License-Identifier: Apache-2.0
import {open, rename, rm} from 'node:fs/promises';

/**
 * Writes a file in one step: a reader finds the old text or the new. Never follows a link at `path` or next to it: folders of Suricata's user
 * are written by us with more rights than that user has. `mode` is given whatever the umask.
 */
export const replaceFile = async (path: string, text: string | Uint8Array, mode = 0o600): Promise<void> => {
  const fresh = `${path}.new`;
  await rm(fresh, {force: true});
  const handle = await open(fresh, 'wx', mode);
  try {
    await handle.chmod(mode);
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  await rename(fresh, path);
};
