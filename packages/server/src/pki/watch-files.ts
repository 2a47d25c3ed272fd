// SPDX-License-Identifier: Apache-2.0
/** Looks at files once a second: that works on every file system, and for files that do not exist yet. */
import {type StatsListener, unwatchFile, watchFile} from 'node:fs';

const LOOK_MS = 1_000;

export const watchFiles = (paths: readonly string[], changed: (path: string) => void): {stop(): void} => {
  const listeners = paths.map((path): [string, StatsListener] => [path, () => changed(path)]);
  for (const [path, listener] of listeners) watchFile(path, {interval: LOOK_MS, persistent: false}, listener);
  return {
    stop: () => {
      for (const [path, listener] of listeners) unwatchFile(path, listener);
    },
  };
};
