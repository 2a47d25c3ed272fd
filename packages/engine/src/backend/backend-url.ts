// SPDX-License-Identifier: Apache-2.0
import {isAbsolute, join, resolve} from 'node:path';
import {EngineError} from '../engine-error.ts';

const FILE_SCHEME = 'file://';

export type Env = Readonly<Record<string, string | undefined>>;

/** The user's home folder as the CLI sees it. */
export const homeFolder = (env: Env): string => env['HOME'] ?? env['USERPROFILE'] ?? '.';

/** Where CLI-wide files are: PULUMI_HOME or ~/.pulumi. */
export const pulumiHome = (env: Env): string => env['PULUMI_HOME'] || join(homeFolder(env), '.pulumi');

/**
 * The folder of a `file://` URL: `file://~`, `file:///abs`, `file://./relative`. A query (`?no_tmp_dir=true`) is ignored.
 * Any other scheme is refused: the embedded engine keeps state in files only.
 */
export function fileBackendFolder(url: string, env: Env, cwd: string): string {
  if (!url.startsWith(FILE_SCHEME)) {
    const scheme = /^[a-z0-9+.-]+:/i.exec(url)?.[0];
    throw new EngineError(
      `PULUMI_BACKEND_URL=${url}: the embedded engine keeps its state in files only ` +
        `(${scheme === undefined ? 'expected file://FOLDER' : `"${scheme}//" is not supported`}); ` +
        'set PULUMI_BACKEND_URL=file:///some/folder, or use the Pulumi CLI for this stack',
    );
  }
  const path = decoded(url, url.slice(FILE_SCHEME.length).replace(/\?.*$/, ''));
  if (path === '~' || path === '') return homeFolder(env);
  if (path.startsWith('~/')) return join(homeFolder(env), path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

function decoded(url: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new EngineError(`PULUMI_BACKEND_URL=${url}: write a literal % as %25`, {cause});
  }
}

/** PULUMI_BACKEND_URL, then the project's `backend.url`, then the user's home folder. */
export const backendUrl = (env: Env, projectUrl: string | undefined): string =>
  env['PULUMI_BACKEND_URL'] || projectUrl || `${FILE_SCHEME}~`;
