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
 * Any other scheme is refused: the embedded engine keeps state in files only. `from`: who named the URL.
 */
export function fileBackendFolder(url: string, env: Env, cwd: string, from = BACKEND_VARIABLE): string {
  if (!url.startsWith(FILE_SCHEME)) {
    const scheme = /^[a-z0-9+.-]+:/i.exec(url)?.[0];
    throw new EngineError(
      `${from} ${url}: the embedded engine keeps its state in files only ` +
        `(${scheme === undefined ? 'expected file://FOLDER' : `"${scheme}//" is not supported`}); ` +
        `set ${from} to a URL such as file:///some/folder, or use the Pulumi CLI for this stack`,
    );
  }
  const path = decoded(`${from} ${url}`, url.slice(FILE_SCHEME.length).replace(/\?.*$/, ''));
  if (path === '~' || path === '') return homeFolder(env);
  if (path.startsWith('~/')) return join(homeFolder(env), path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

function decoded(said: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new EngineError(`${said}: write a literal % as %25`, {cause});
  }
}

const BACKEND_VARIABLE = 'PULUMI_BACKEND_URL';

/** PULUMI_BACKEND_URL, then the project's `backend.url`, then the user's home folder; `from`: which of them, for messages. */
export const backendUrl = (env: Env, projectUrl: string | undefined): {readonly url: string; readonly from: string} => {
  const url = env['PULUMI_BACKEND_URL'];
  if (url) return {url, from: BACKEND_VARIABLE};
  return {url: projectUrl || `${FILE_SCHEME}~`, from: 'backend.url of Pulumi.yaml'};
};
