// SPDX-License-Identifier: Apache-2.0
/** The certificate of --https: the user's pair, or one of our own in the data folder. */

import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import {writeKubeconfig} from '../parts/kubeconfig.ts';
import {reachable, urlOf} from '../port/addresses.ts';
import type {TlsListener, TlsPem} from '../port/listeners.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemTimers} from '../process/system.ts';
import {ABSENT, WatchedFile} from '../process/watch-file.ts';
import type {ServerCertificate, ServingCertificate} from './certificates.ts';
import type {ClientCertificates} from './client-certificates.ts';

/** The pair of --tls-cert, with warnings; undefined: --tls-cert or HTTPS is not used. Throws CommandError for one that TLS cannot use. */
export const givenPair = async (
  {https, tls}: Pick<ServeConfig, 'https' | 'tls'>,
  log: Logger,
): Promise<ServerCertificate | undefined> => {
  if (https === undefined || tls === undefined) return undefined;
  const {givenAtStart} = await import('./given-certificate.ts');
  return givenAtStart(tls, {nowMs: systemClock.now(), log});
};

type Config = Pick<ServeConfig, 'https' | 'tls' | 'tlsNames' | 'auth' | 'clientCaFile'>;

/** One of our own, replaced when due, where `given` is absent; with what client certificates need. */
const withOwn = async (
  {https, tlsNames, auth, clientCaFile}: Config,
  given: ServerCertificate | undefined,
  folder: DataFolder,
  log: Logger,
): Promise<ServingCertificate> => {
  if (auth === 'none' && given !== undefined) return given;
  const {namesOfListener, ownCertificates} = await import('./certificates.ts');
  const {host} = reachable(https ?? {host: '', port: 0});
  const names = namesOfListener(https?.host ?? '', tlsNames);
  const wanted = {host: given === undefined ? host : undefined, names, admin: auth !== 'none'};
  const {server, authorities, admin} = await ownCertificates(folder.dir, wanted, {nowMs: systemClock.now(), log});
  const pair = given ?? server;
  if (pair === undefined) throw new Error('no server certificate was made');
  if (auth === 'none') return pair;
  const {readClientAuthorities} = await import('./client-files.ts');
  const others = clientCaFile === undefined ? [] : await readClientAuthorities(clientCaFile);
  return {...pair, authorities: [...authorities, ...others], admin};
};

/** The first one; `given`: the pair of the user. Throws CommandError. */
export const firstCertificate = async (
  config: Config,
  given: ServerCertificate | undefined,
  folder: DataFolder,
  log: Logger,
): Promise<ServingCertificate | undefined> =>
  config.https === undefined ? undefined : withOwn(config, given, folder, log);

/** A pair of the user that replaces another must be valid; that of the start is used in any case, and warned of. */
const laterCertificate = async (config: Config, folder: DataFolder, log: Logger): Promise<ServingCertificate> => {
  if (config.tls === undefined) return withOwn(config, undefined, folder, log);
  const {givenReplacement} = await import('./given-certificate.ts');
  return withOwn(config, await givenReplacement(config.tls, systemClock.now()), folder, log);
};

/** As the TLS port takes it. */
export const tlsPemOf = ({cert, key, authorities}: ServingCertificate): TlsPem => ({
  cert,
  key,
  clientCa: authorities?.map(({pem}) => pem).join('\n'),
});

/** Clients of the previous one work until the end of the overlap. */
const logNewCa = ({authorities}: ServingCertificate, log: Logger): void => {
  const until = authorities?.[1]?.untilMs;
  if (until === undefined) log.info({}, 'CA replaced, certificates of the previous one are no longer accepted');
  else
    log.info({previousUntil: new Date(until).toISOString()}, 'CA replaced, the previous one is accepted for a while');
};

type Served = {readonly https: TlsListener | undefined; readonly pem: ServingCertificate | undefined};

type Keeping = {
  /** The pair that the configuration names now. */
  readonly tls: () => ServeConfig['tls'];
  readonly folder: DataFolder;
  readonly clients: ClientCertificates | undefined;
  readonly metrics: Pick<Metrics, 'showCertificates'>;
};

/** The certificate stays valid while the server runs; clients that read the kubeconfig again get a new CA. */
export const keepCertificate = async (
  config: ServeConfig,
  {https, pem}: Served,
  {tls, folder, clients, metrics}: Keeping,
  log: Logger,
) => {
  if (https === undefined || pem === undefined) return undefined;
  const {startCertificateRenewal} = await import('./certificate-renewal.ts');
  const {endOf, ifReadable, pathIn} = await import('./certificates.ts');
  let ca = pem.ca;
  /** Without those that OpenSSL reads and Node's own class does not. */
  const endsOf = (pair: ServerCertificate): Record<string, number> => {
    const ends: Record<string, number> = {};
    for (const [name, text] of Object.entries({serving: pair.cert, ca: pair.ca})) {
      const end = ifReadable(() => endOf(text));
      if (end !== undefined) ends[name] = end;
    }
    return ends;
  };
  let ends = endsOf(pem);
  metrics.showCertificates(() => ends);
  const renewal = startCertificateRenewal({
    current: pem,
    load: () => laterCertificate({...config, tls: tls()}, folder, log),
    use: async renewed => {
      https.setCertificate(tlsPemOf(renewed));
      ends = endsOf(renewed);
      clients?.trust(renewed.authorities ?? []);
      await writeKubeconfig(folder.kubeconfig, {
        server: urlOf(https.address, 'https'),
        ca: renewed.ca,
        auth: config.auth,
        client: renewed.admin,
      });
      if (renewed.ca !== ca) logNewCa(renewed, log);
      ca = renewed.ca;
    },
    timers: systemTimers,
    log,
  });
  const files = [pathIn(folder.dir, 'changed'), ...(config.clientCaFile === undefined ? [] : [config.clientCaFile])];
  const changed = async (): Promise<void> => void (await renewal.look());
  // ABSENT: also what changed since the start
  const watched = files.map(path => new WatchedFile({path, version: ABSENT, changed, timers: systemTimers, log}));
  return {
    look: renewal.look,
    stop: async () => {
      await Promise.all(watched.map(each => each.stop()));
      await renewal.stop();
    },
  };
};
