// SPDX-License-Identifier: Apache-2.0
/** The certificate of --https: the user's pair, or one of our own in the data folder. */

import type {ServeConfig} from '../parts/config.ts';
import {writeKubeconfig} from '../parts/kubeconfig.ts';
import type {ServerCertificate} from '../pki/certificates.ts';
import {reachable, urlOf} from '../port/addresses.ts';
import type {TlsListener} from '../port/listeners.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemTimers} from '../process/system.ts';

/** The pair of --tls-cert, with warnings; undefined: there is none, or no --https. Throws CommandError for one that TLS cannot use. */
export const givenPair = async (
  {https, tls}: Pick<ServeConfig, 'https' | 'tls'>,
  log: Logger,
): Promise<ServerCertificate | undefined> => {
  if (https === undefined || tls === undefined) return undefined;
  const {givenAtStart} = await import('../pki/given-certificate.ts');
  return givenAtStart(tls, {nowMs: systemClock.now(), log});
};

/** One of our own, replaced when due. */
export const ownPair = async (
  {https}: Pick<ServeConfig, 'https'>,
  folder: DataFolder,
  log: Logger,
): Promise<ServerCertificate> => {
  const {ownCertificate} = await import('../pki/certificates.ts');
  const {host} = reachable(https ?? {host: '', port: 0});
  return ownCertificate(folder.dir, host, {nowMs: systemClock.now(), log});
};

/** A pair of the user that replaces another must be valid; that of the start is used in any case, and warned of. */
const laterPair = async (
  config: Pick<ServeConfig, 'https' | 'tls'>,
  folder: DataFolder,
  log: Logger,
): Promise<ServerCertificate> => {
  if (config.tls === undefined) return ownPair(config, folder, log);
  const {givenReplacement} = await import('../pki/given-certificate.ts');
  return givenReplacement(config.tls, systemClock.now());
};

type Served = {readonly https: TlsListener | undefined; readonly pem: ServerCertificate | undefined};

/**
 * The certificate stays valid while the server runs; clients that read the kubeconfig again get a new CA. `tls`: the pair that the
 * configuration names now.
 */
export const keepCertificate = async (
  config: ServeConfig,
  {https, pem}: Served,
  tls: () => ServeConfig['tls'],
  folder: DataFolder,
  log: Logger,
) => {
  if (https === undefined || pem === undefined) return undefined;
  const {startCertificateRenewal} = await import('../pki/certificate-renewal.ts');
  return startCertificateRenewal({
    current: pem,
    load: () => laterPair({https: config.https, tls: tls()}, folder, log),
    use: async renewed => {
      https.setCertificate(renewed);
      await writeKubeconfig(folder.kubeconfig, {
        server: urlOf(https.address, 'https'),
        ca: renewed.ca,
        auth: config.auth,
      });
    },
    timers: systemTimers,
    log,
  });
};
