// SPDX-License-Identifier: Apache-2.0
/** The certificate of --https: the user's pair, or one of our own in the data folder. */
import {reachable, urlOf} from '../addresses.ts';
import type {ServerCertificate} from '../certificates.ts';
import type {ServeConfig} from '../config.ts';
import type {DataFolder} from '../data-folder.ts';
import {writeKubeconfig} from '../kubeconfig.ts';
import type {TlsListener} from '../listeners.ts';
import type {Logger} from '../logger.ts';
import {systemClock, systemTimers} from '../system.ts';

/** Of a pair that the user gives, one that replaces another must be valid; that of the start is used in any case, and warned of. */
export const certificateOf = async (
  config: ServeConfig,
  folder: DataFolder,
  log: Logger,
  when: 'start' | 'later' = 'start',
) => {
  const {givenAnew, givenAtStart, ownCertificate} = await import('../certificates.ts');
  const {host} = reachable(config.https ?? {host: '', port: 0});
  const nowMs = systemClock.now();
  if (config.tls === undefined) return ownCertificate(folder.dir, host, {nowMs, log});
  return when === 'start' ? givenAtStart(config.tls, {nowMs, log}) : givenAnew(config.tls, nowMs);
};

type Served = {readonly https: TlsListener | undefined; readonly pem: ServerCertificate | undefined};

/** The certificate stays valid while the server runs; clients that read the kubeconfig anew learn of a new CA. */
export const keepCertificate = async (config: ServeConfig, {https, pem}: Served, folder: DataFolder, log: Logger) => {
  if (https === undefined || pem === undefined) return undefined;
  const {startCertificateRenewal} = await import('../certificate-renewal.ts');
  return startCertificateRenewal({
    current: pem,
    load: () => certificateOf(config, folder, log, 'later'),
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
