// SPDX-License-Identifier: Apache-2.0
/**
 * The composition root: every component of `palisade serve`, in the order it is opened; closed in reverse.
 *
 *   data folder → store → authentication → Kubernetes API → sensors → IDS API → listeners → ready line
 *
 * Drain: not ready, no new connections, watches end, requests finish (bounded), reconcilers stop, Suricata is stopped and its
 * EVE files are read to their end, the store is closed.
 */
import {
  type Authenticator,
  createKubeApi,
  deletionTimers,
  garbageCollection,
  type HealthCheck,
  HealthChecks,
  type KubeApi,
} from '@palisade/apiserver';
import {createRbacAuthorizer, kubeKinds, type RbacAuthorizer} from '@palisade/endpoints';
import type {IdsApi, RecordStore} from '@palisade/ids';
import type {SuricataSensorHost} from '@palisade/sensor';
import {isStoreError, type Store} from '@palisade/store';
import {openSqliteStore} from '@palisade/store/sqlite';
import {CommandError} from '../cli/io.ts';
import {formatAddress, reachable} from './addresses.ts';
import {openAuthenticator} from './authentication.ts';
import {startCompaction} from './compaction.ts';
import type {ServeConfig} from './config.ts';
import {type DataFolder, openDataFolder} from './data-folder.ts';
import {renderKubeconfig} from './kubeconfig.ts';
import {type Listener, listenPlain, listenTls} from './listeners.ts';
import type {Logger} from './logger.ts';
import {createMetrics, type Metrics} from './metrics.ts';
import {settleMemory, startTrimming, trimMalloc} from './release-memory.ts';
import {Reload, reloadRules} from './reload.ts';
import {replaceFile} from './replace-file.ts';
import {route, type Side, type Sides, unknownGrpcMethod} from './router.ts';
import {removeServerFile, writeServerFile} from './server-file.ts';
import {createStoreHealth, type StoreHealth} from './store-health.ts';
import {systemClock, systemRandom, systemTimers} from './system.ts';

export type Ready = {
  readonly ready: true;
  readonly pid: number;
  readonly http: string;
  readonly https?: string;
  readonly grpc?: string;
  readonly kubeconfig: string;
};
export type RunningServer = {
  readonly ready: Ready;
  /** Reads the files again that may change while it runs: the certificate, and what --rules names. Never rejects. */
  reload(): Promise<void>;
  stop(): Promise<void>;
};

/** How long requests may go on after a drain began. */
const DRAIN_MS = 10_000;
/** Bytes of one gRPC message. */
const GRPC_BYTES_MAX = 4 * 1024 * 1024;

type Closer = {readonly name: string; readonly close: () => Promise<void>};

/** Closes what was opened, last first; a failure is logged and the rest goes on. */
class Closers {
  readonly #items: Closer[] = [];
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(name: string, close: () => Promise<void> | void): void {
    this.#items.push({name, close: async () => close()});
  }

  async closeAll(): Promise<void> {
    for (let item = this.#items.pop(); item !== undefined; item = this.#items.pop()) {
      try {
        await item.close();
      } catch (error) {
        this.#log.error({err: error, part: item.name}, 'a part did not close cleanly');
      }
    }
  }
}

const openStore = async (folder: DataFolder, {onFailed}: StoreHealth): Promise<Store> => {
  try {
    return await openSqliteStore({file: folder.storeFile, onFailed});
  } catch (error) {
    if (isStoreError(error)) throw new CommandError(error.message, {cause: error});
    throw error;
  }
};

/** No new connections, then watches and followers end, then requests finish; what is left after the deadline is cut. */
const drain = async (listeners: readonly Listener[], endStreams: () => void): Promise<void> => {
  const closed = Promise.all(listeners.map(l => l.close()));
  endStreams();
  const timer = systemTimers.after(DRAIN_MS, () => {
    for (const l of listeners) l.force();
  });
  await closed;
  timer.cancel();
};

type Parts = {
  kube: KubeApi | undefined;
  /** Decides with its roles, also when its API is not served. */
  authority: KubeApi | undefined;
  ids: IdsApi | undefined;
  health: HealthChecks;
  metrics: Metrics;
  log: Logger;
};

// What belongs to the IDS side alone is loaded when that side is served: without it a server needs a third less memory.
const grpcSide = async ({routes}: IdsApi): Promise<Side> => {
  const {connectNodeAdapter} = await import('@connectrpc/connect-node');
  return connectNodeAdapter({
    routes,
    grpc: true,
    grpcWeb: true,
    connect: true,
    readMaxBytes: GRPC_BYTES_MAX,
    fallback: unknownGrpcMethod as Parameters<typeof connectNodeAdapter>[0]['fallback'] & {},
  }) as Side;
};

/** Opens the sockets, all with one handler; `--grpc` at the address of `--http` is the same socket. */
async function openListeners(config: ServeConfig, parts: Parts, folder: DataFolder, closers: Closers) {
  const sides: Sides = {
    kubernetes: parts.kube === undefined ? undefined : (q, s) => parts.kube?.handle(q, s),
    ids: parts.ids === undefined ? undefined : async (q, s) => void (await parts.ids?.handle(q, s)),
    grpc: parts.ids === undefined ? undefined : await grpcSide(parts.ids),
    metrics:
      parts.kube === undefined
        ? parts.authority === undefined
          ? parts.metrics.open
          : (q, r) => parts.authority?.handle(q, r)
        : undefined,
    health: parts.health,
  };
  const handler = parts.metrics.counted(route(sides, parts.log));
  const listeners: Listener[] = [];
  closers.add('listeners', () =>
    drain(listeners, () => {
      parts.kube?.services.watchers.stopAll();
      parts.ids?.endStreams();
    }),
  );
  const opened = async <L extends Listener>(listener: Promise<L>): Promise<L> => {
    listeners.push(await listener);
    return listener;
  };
  const port = {timers: systemTimers, log: parts.log};
  const http = await opened(listenPlain(config.http, 'http', handler, port));
  const sameAsHttp = config.grpc !== undefined && formatAddress(config.grpc) === formatAddress(config.http);
  const grpc =
    config.grpc === undefined
      ? undefined
      : sameAsHttp
        ? http
        : await opened(listenPlain(config.grpc, 'grpc', handler, port));
  const pem = config.https === undefined ? undefined : await certificateOf(config, folder, parts.log);
  const https =
    config.https === undefined || pem === undefined
      ? undefined
      : await opened(listenTls(config.https, 'https', pem, handler, port));
  return {http, grpc, https, pem};
}

type Open = Awaited<ReturnType<typeof openListeners>>;

/** Of a pair that the user gives, one that replaces another must be valid; that of the start is used in any case, and warned of. */
const certificateOf = async (
  config: ServeConfig,
  folder: DataFolder,
  log: Logger,
  when: 'start' | 'later' = 'start',
) => {
  const {givenAnew, givenAtStart, ownCertificate} = await import('./certificates.ts');
  const {host} = reachable(config.https ?? {host: '', port: 0});
  const nowMs = systemClock.now();
  if (config.tls === undefined) return ownCertificate(folder.dir, host, {nowMs, log});
  return when === 'start' ? givenAtStart(config.tls, {nowMs, log}) : givenAnew(config.tls, nowMs);
};

/** The certificate stays valid while the server runs; clients that read the kubeconfig anew learn of a new CA. */
const keepCertificate = async (config: ServeConfig, open: Open, folder: DataFolder, log: Logger) => {
  const {https, pem} = open;
  if (https === undefined || pem === undefined) return undefined;
  const {startCertificateRenewal} = await import('./certificate-renewal.ts');
  return startCertificateRenewal({
    current: pem,
    load: () => certificateOf(config, folder, log, 'later'),
    use: async renewed => {
      https.setCertificate(renewed);
      await writeKubeconfig(folder, urlOf(https, 'https'), renewed.ca);
    },
    timers: systemTimers,
    log,
  });
};

type Auth = {readonly authenticator: Authenticator; readonly authorizer: RbacAuthorizer};

async function openKube(
  config: ServeConfig,
  parts: {store: Store; health: readonly HealthCheck[]; auth: Auth; metrics: Metrics},
  log: Logger,
  closers: Closers,
): Promise<KubeApi> {
  const kube = createKubeApi({
    ...parts.auth,
    store: parts.store,
    kinds: kubeKinds,
    documents: [parts.metrics.document],
    health: parts.health,
    compat: config.compat,
    controllers: [parts.auth.authorizer.controller, garbageCollection, deletionTimers],
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    log: log.child({part: 'kubernetes'}),
  });
  await kube.start();
  closers.add('kubernetes API', () => kube.stop());
  return kube;
}

async function openSensors(
  config: ServeConfig,
  parts: {folder: DataFolder; records: RecordStore; signal: AbortSignal},
  log: Logger,
  closers: Closers,
): Promise<SuricataSensorHost> {
  const {BUNDLED_RULES, createSensorHost, isSensorError} = await import('@palisade/sensor');
  const host = await createSensorHost({
    dir: parts.folder.sensorDir,
    driver: config.driver,
    rules: config.rules.length > 0 ? config.rules : BUNDLED_RULES,
    sink: parts.records,
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    log: log.child({part: 'sensor'}),
  }).catch((error: unknown) => {
    if (isSensorError(error) && error.code === 'driver-unavailable')
      throw new CommandError(`--driver: ${error.message}`, {cause: error});
    throw error;
  });
  closers.add('sensors', () => host.close());
  if (config.rules.length > 0) await refuseBadRules(host, parts.signal);
  return host;
}

/** Sensors of a server that crashed, whose endpoints were deleted since: their last events are counted, then they go. */
const endLeftovers = async (host: SuricataSensorHost, ids: IdsApi, log: Logger): Promise<void> => {
  for (const endpoint of host.leftovers().filter(name => !ids.has(name))) {
    log.info({endpoint}, 'ending a sensor that no endpoint declares any longer');
    try {
      await host.stop(endpoint);
    } catch (error) {
      log.error({err: error, endpoint}, 'the sensor could not be ended; the next start tries again');
    }
  }
};

/** Throws the reason of `signal` as soon as it aborts; what was waited for goes on unheard. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, {once: true});
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });

const RULE_CODES: ReadonlySet<string> = new Set(['rule-file', 'rule-error', 'no-rules']);

/** Rules that the user named and that cannot be used, with no older set to go on with: better no start than no inspection. */
const refuseBadRules = async (host: SuricataSensorHost, signal: AbortSignal): Promise<void> => {
  const {isSensorError} = await import('@palisade/sensor');
  try {
    await unlessAborted(host.ready(), signal);
  } catch (error) {
    if (isSensorError(error) && RULE_CODES.has(error.code))
      throw new CommandError(`--rules: ${error.message}`, {cause: error});
    if (!isSensorError(error)) throw error;
  }
};

/**
 * Starts everything. Throws CommandError for what the user can mend, and the reason of `signal` when it aborts before all is
 * up; nothing is left open then.
 */
export async function startServer(config: ServeConfig, log: Logger, signal: AbortSignal): Promise<RunningServer> {
  const closers = new Closers(log);
  const reload = new Reload();
  try {
    const auth: Auth = {authenticator: await openAuthenticator(config), authorizer: createRbacAuthorizer()};
    const folder = await openDataFolder(config.dataDir);
    signal.throwIfAborted();
    const metrics = createMetrics();
    const storeHealth = createStoreHealth(log);
    const store = await openStore(folder, storeHealth);
    closers.add('store', () => store.close());
    closers.add('compaction', startCompaction(store, {timers: systemTimers, log}));
    signal.throwIfAborted();
    let ready = false;
    const all: HealthCheck = {name: 'all-parts', readyOnly: true, check: () => (ready ? undefined : 'not ready')};
    const checks = [storeHealth.check, all];
    // Where tokens are checked, the roles that decide are needed even when their API is not served.
    const decides = config.apis.kubernetes || config.auth === 'tokens';
    const opened = decides ? await openKube(config, {store, health: checks, auth, metrics}, log, closers) : undefined;
    signal.throwIfAborted();
    const kube = config.apis.kubernetes ? opened : undefined;
    if (kube !== undefined) metrics.showWatches(kube.services.watchers);
    let publicUrl = '';
    let ids: IdsApi | undefined;
    if (config.apis.ids) {
      const {createIdsApi, createRecordStore} = await import('@palisade/ids');
      const records = createRecordStore({store, clock: systemClock, log: log.child({part: 'records'})});
      const sensorHost = await openSensors(config, {folder, records, signal}, log, closers);
      signal.throwIfAborted();
      metrics.watchSensors(sensorHost);
      if (config.rules.length > 0) reload.add(() => reloadRules(sensorHost, config.rules, log));
      ids = createIdsApi({
        ...auth,
        store,
        sensorHost,
        records,
        clock: systemClock,
        random: systemRandom,
        timers: systemTimers,
        log: log.child({part: 'ids'}),
        locations: config.locations.map(id => ({id, sensor: config.sensorsAt.includes(id)})),
        pool: config.endpointPool,
        publicUrl: () => publicUrl,
        quota: {endpointsPerProject: config.quotaEndpoints},
      });
      await ids.start();
      const started = ids;
      closers.add('IDS API', () => started.stop());
      const clearing = endLeftovers(sensorHost, ids, log);
      closers.add('leftover sensors', () => clearing);
    }
    const health = new HealthChecks(opened?.checks ?? checks);
    const open = await openListeners(config, {kube, authority: opened, ids, health, metrics, log}, folder, closers);
    publicUrl = open.https === undefined ? urlOf(open.http, 'http') : urlOf(open.https, 'https');
    signal.throwIfAborted();
    const server = await announce(open, folder, closers);
    const renewal = await keepCertificate(config, open, folder, log);
    if (renewal !== undefined) {
      closers.add('certificate renewal', renewal.stop);
      reload.add(renewal.look);
    }
    signal.throwIfAborted();
    settleMemory();
    const trimming = {timers: systemTimers, resident: process.memoryUsage.rss, trim: trimMalloc};
    closers.add('trimming', startTrimming(trimming));
    ready = true;
    closers.add('readiness', () => {
      ready = false;
    });
    closers.add('reload', () => reload.end());
    return {ready: server, reload: () => reload.run(), stop: () => closers.closeAll()};
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

const urlOf = ({address}: Listener, scheme: 'http' | 'https'): string =>
  `${scheme}://${formatAddress(reachable(address))}`;

const writeKubeconfig = (folder: DataFolder, server: string, ca: string | undefined): Promise<void> =>
  replaceFile(folder.kubeconfig, renderKubeconfig({server, ca}), 0o600);

/** Writes the kubeconfig and the address file; the value is the ready line. */
async function announce(open: Open, folder: DataFolder, closers: Closers): Promise<Ready> {
  const http = urlOf(open.http, 'http');
  const https = open.https === undefined ? undefined : urlOf(open.https, 'https');
  await writeKubeconfig(folder, https ?? http, open.pem?.ca);
  await writeServerFile(folder.dir, {http, pid: process.pid, ...(https === undefined ? {} : {https})});
  closers.add('address file', () => removeServerFile(folder.dir));
  return {
    ready: true,
    pid: process.pid,
    http,
    ...(https === undefined ? {} : {https}),
    ...(open.grpc === undefined ? {} : {grpc: formatAddress(open.grpc.address)}),
    kubeconfig: folder.kubeconfig,
  };
}
