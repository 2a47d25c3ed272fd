// SPDX-License-Identifier: Apache-2.0
/** The browser of the tests, which tools/install-chromium.sh installs, or the reason why this machine has no browser. */
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';

const NAMES = ['chromium-headless-shell', 'chromium', 'google-chrome'];

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Undefined: this machine has none. */
export const browserProgram = NAMES.flatMap(name =>
  (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name)),
).find(isProgram);

/** Why tests in a browser cannot run here; undefined: they can. */
export const whyNoBrowser =
  browserProgram === undefined ? `no browser: none of ${NAMES.join(', ')} is on the PATH` : undefined;
export const noBrowserReason = whyNoBrowser === undefined ? '' : ` (skipped: ${whyNoBrowser})`;
