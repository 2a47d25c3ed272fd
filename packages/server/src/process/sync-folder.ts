// SPDX-License-Identifier: Apache-2.0
import {makeSyncedFolder} from '@palisade/engine/sync-folder';

export {syncFolder} from '@palisade/engine/sync-folder';

/** Makes a folder of its owner alone, with its parents; their names are on disk when it resolves. Resolves to those that were not there, outermost first. */
export const makePrivateFolder = (folder: string): Promise<readonly string[]> =>
  makeSyncedFolder(folder, {mode: 0o700});
