// SPDX-License-Identifier: Apache-2.0
/** The second guard of every deletion in the backend: whatever the name, it stays below the backend's folder, with links resolved. */
import {realpath} from 'node:fs/promises';
import {dirname, relative, sep} from 'node:path';
import {EngineError} from '../engine-error.ts';

/**
 * Throws EngineError unless `path` is an entry below `root` once the links in its parents are resolved; a path whose parents cannot
 * be followed passes. A link at `path` itself is only a name: removing it leaves what it leads to.
 */
export async function assertWithin(root: string, path: string): Promise<void> {
  const [top, folder] = [await resolved(root), await resolved(dirname(path))];
  if (top === undefined || folder === undefined) return;
  const way = relative(top, folder);
  if (way !== '..' && !way.startsWith(`..${sep}`)) return;
  throw new EngineError(
    `${path}: a symbolic link above it points to ${folder}, outside the backend's folder ${top}; replace the link with the folder itself`,
  );
}

/** Undefined where the path cannot be followed: then nothing can be deleted there either. */
const resolved = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined);
