// SPDX-License-Identifier: Apache-2.0
/** Everything below /console: the session, the sign-in at an issuer, and the files. */
import type {AnyRequest, AnyResponse} from '../port/listeners.ts';
import type {Side} from '../port/router.ts';
import {leadToConsole} from './browser-visits.ts';
import {ConsoleFiles, NO_FILES} from './console-files.ts';
import type {OidcSignIn} from './oidc/oidc-sign-in.ts';
import {answerSession, type SessionParts} from './session-route.ts';
import {answerWords, serveStatic} from './static-route.ts';

const SESSION = '/console/session';
const OIDC = '/console/oidc/';

export type ConsoleParts = Omit<SessionParts, 'oidc'> & {
  /** The folder of the built console; undefined: this program was installed without one. */
  readonly dir: string | undefined;
  readonly oidc: OidcSignIn | undefined;
};

export const consoleSide = ({dir, ...parts}: ConsoleParts): Side => {
  const files = dir === undefined ? NO_FILES : new ConsoleFiles(dir);
  return async (request: AnyRequest, response: AnyResponse): Promise<void> => {
    const url = request.url ?? '/';
    const path = url.split('?', 1)[0] ?? '/';
    if (path === '/console') return leadToConsole(response, url);
    if (path === SESSION) return answerSession(parts, request, response);
    if (path.startsWith(OIDC)) {
      if (parts.oidc === undefined) return answerWords(response, 404, 'nobody signs in at this server (--auth none)');
      return parts.oidc.handle(request, response, path.slice(OIDC.length));
    }
    return serveStatic(files, request, response, path);
  };
};

/** Where the console is switched off. */
export const consoleOff: Side = (_request, response) =>
  answerWords(response, 404, 'the console is switched off on this server (--console=false)');
