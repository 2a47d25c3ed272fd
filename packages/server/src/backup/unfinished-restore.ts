// SPDX-License-Identifier: Apache-2.0
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {CommandError} from '../errors.ts';

/** In the data folder, while a restore moves files to their names. */
export const RESTORE_UNFINISHED = 'restore.unfinished';

/** Throws CommandError for a folder in which a restore was killed between two names. */
export const assertRestoreFinished = (dir: string): void => {
  const path = join(dir, RESTORE_UNFINISHED);
  if (!existsSync(path)) return;
  throw new CommandError(
    `--data ${dir}: a restore did not finish (${path} exists), so the data is incomplete; run palisade restore FILE --data ${dir} --replace again`,
  );
};
