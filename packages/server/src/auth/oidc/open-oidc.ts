// SPDX-License-Identifier: Apache-2.0
/** OpenID Connect as `palisade serve` has it: the files that the configuration names, the source of tokens, and its reload. */
import {X509Certificate} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {whyUnreadable} from '@palisade/engine/file-faults';
import {CommandError} from '../../errors.ts';
import type {ServeConfig} from '../../parts/config.ts';
import type {OidcConfig} from '../../parts/oidc-config.ts';
import type {Logger} from '../../process/logger.ts';
import {monotonicClock, systemClock, systemTimers} from '../../process/system.ts';
import type {PartOutcome} from '../../root/reload.ts';
import {LiveOidc} from './live-oidc.ts';
import type {Issuer} from './open-issuer.ts';

const readNamed = async (flag: string, path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${flag} ${path}: cannot be read: ${whyUnreadable(error)}`, {cause: error});
  }
};

const caOf = async (path: string): Promise<string> => {
  const ca = await readNamed('--oidc-ca-file', path);
  try {
    new X509Certificate(ca);
  } catch (error) {
    const why = 'contains no certificate in PEM form (-----BEGIN CERTIFICATE-----)';
    throw new CommandError(`--oidc-ca-file ${path}: ${why}`, {cause: error});
  }
  return ca;
};

const secretOf = async (path: string): Promise<string> => {
  const secret = (await readNamed('--oidc-client-secret-file', path)).trim();
  if (secret === '') throw new CommandError(`--oidc-client-secret-file ${path}: the file is empty`);
  return secret;
};

/** Throws CommandError when a file of it cannot be read or used. */
export const readIssuer = async (config: OidcConfig | undefined): Promise<Issuer | undefined> => {
  if (config === undefined) return undefined;
  const {caFile, clientSecretFile} = config;
  return {
    config,
    ca: caFile === undefined ? undefined : await caOf(caFile),
    ...(clientSecretFile === undefined ? {} : {clientSecret: await secretOf(clientSecretFile)}),
  };
};

/** Fetches the keys in the background: an issuer that is down does not keep the server from starting. */
export const openOidc = async (issuer: Issuer | undefined, log: Logger): Promise<LiveOidc> => {
  const parts = {clock: systemClock, monotonic: monotonicClock, timers: systemTimers};
  const oidc = new LiveOidc({...parts, log: log.child({part: 'oidc'})});
  if (issuer !== undefined) await oidc.start(issuer);
  return oidc;
};

const NOT_TAKEN = 'OIDC reload failed, the previous issuer stays valid';

/** What SIGHUP does. */
export const oidcReload =
  (oidc: LiveOidc, start: ServeConfig, log: Logger) =>
  async (next: ServeConfig): Promise<PartOutcome> => {
    // Whether credentials are asked for at all decides about more than the issuer.
    if (next.auth !== start.auth) return 'needsRestart';
    try {
      if (await oidc.replace(await readIssuer(next.oidc))) return 'applied';
      log.error({issuer: next.oidc?.issuerUrl}, NOT_TAKEN);
    } catch (error) {
      log.error({err: error}, NOT_TAKEN);
    }
    return 'failed';
  };
