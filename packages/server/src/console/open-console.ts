// SPDX-License-Identifier: Apache-2.0
/** The console as `palisade serve` has it. */
import type {Auditor} from '@palisade/apiserver';
import type {Auth} from '../auth/auth.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Side} from '../port/router.ts';
import {consoleOff, consoleSide} from './console-side.ts';
import type {Sessions} from './sessions.ts';

type Parts = {
  readonly installed: {readonly consoleDir?: string};
  readonly auth: Auth;
  readonly sessions: Sessions | undefined;
  readonly auditor: Auditor | undefined;
};

export const openConsole = ({console}: ServeConfig, {installed, auth, sessions, auditor}: Parts): Side => {
  if (!console) return consoleOff;
  const {authenticator} = auth;
  return consoleSide({dir: installed.consoleDir, sessions, authenticator, auditor, oidc: undefined});
};
