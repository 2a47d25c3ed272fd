// SPDX-License-Identifier: Apache-2.0
/** The console as `palisade serve` has it. */
import type {Auditor, UnreadAnswers} from '@palisade/apiserver';
import type {FailedLogins} from '../accounts/token-endpoint.ts';
import type {Auth} from '../auth/auth.ts';
import type {LiveOidc} from '../auth/oidc/live-oidc.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Side} from '../port/router.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock} from '../process/system.ts';
import {consoleOff, consoleSide} from './console-side.ts';
import {OidcRoutes} from './oidc/oidc-routes.ts';
import type {Sessions} from './sessions.ts';

type Parts = {
  readonly installed: {readonly consoleDir?: string};
  readonly auth: Auth;
  readonly sessions: Sessions | undefined;
  readonly oidc: LiveOidc;
  readonly limit: FailedLogins;
  readonly auditor: Auditor | undefined;
  readonly unread: UnreadAnswers;
};

export const openConsole = ({console}: ServeConfig, parts: Parts, log: Logger): Side => {
  if (!console) return consoleOff;
  const {installed, auth, sessions, auditor, unread, oidc, limit: failedLogins} = parts;
  const {authenticator} = auth;
  const own = {issuer: () => oidc.issuer, clock: systemClock, log: log.child({part: 'console'})};
  const routes = sessions && new OidcRoutes({...own, sessions, authenticator, failedLogins, auditor});
  return consoleSide({dir: installed.consoleDir, sessions, authenticator, auditor, unread, oidc: routes});
};
