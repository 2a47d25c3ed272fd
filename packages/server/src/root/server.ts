// SPDX-License-Identifier: Apache-2.0
/**
 * The composition root: every component of `palisade serve` (`parts/`), in the order it is opened; closed in reverse.
 *
 *   token file, data folder, certificate, rule files → store → Kubernetes API → sensors → IDS API → listeners → ready line
 *
 * Drain: not ready, no new connections, watches end, requests finish (bounded), reconcilers stop, Suricata is stopped and its
 * EVE files are read to their end, the store is closed.
 */
import {DEFAULT_LIMITS, Fairness, type HealthCheck, UnreadAnswers} from '@palisade/apiserver';
import type {LiveOidc} from '../auth/oidc/live-oidc.ts';
import {oidcReload} from '../auth/oidc/open-oidc.ts';
import {BackupRoute} from '../backup/backup-route.ts';
import {openBackups} from '../backup/open-backups.ts';
import {openConsole} from '../console/open-console.ts';
import {createMetrics, type Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import {createStoreHealth} from '../parts/store-health.ts';
import type {ClientCertificates} from '../pki/client-certificates.ts';
import {keepCertificate} from '../pki/serving-certificate.ts';
import type {Logger} from '../process/logger.ts';
import {removeServerFile} from '../process/server-file.ts';
import {systemClock, systemTimers} from '../process/system.ts';
import {announce, publicUrlOf, type Ready} from './announce.ts';
import {Closers} from './closers.ts';
import {type Named, openNamedFiles} from './named-files.ts';
import {openAudit} from './open-audit.ts';
import type {OpenIds} from './open-ids.ts';
import {openKube, serverUid} from './open-kube.ts';
import {type Open, openListeners} from './open-listeners.ts';
import {openStore} from './open-store.ts';
import {openWhoMay} from './open-who-may.ts';
import {Reload, type Reloaded, type ReloadSource} from './reload.ts';
import {reloadBase} from './reload-base.ts';

export type {Ready, Reloaded, ReloadSource};
export type RunningServer = {
  readonly ready: Ready;
  /** Takes another configuration as far as it can (LIVE_KEYS), and reads the files that it names again. Never rejects. */
  reload(source: ReloadSource): Promise<void>;
  stop(): Promise<void>;
};

/** What keeps one user from taking the server from others; shared by both APIs. */
const openBounds = ({fairness: {seats}}: ServeConfig, metrics: Metrics, log: Logger) => {
  const unread = new UnreadAnswers({limits: DEFAULT_LIMITS, timers: systemTimers, log});
  metrics.showUnread(unread);
  const fairness = new Fairness({seats, clock: systemClock, timers: systemTimers});
  metrics.showFairness(fairness);
  return {unread, fairness};
};

type Kept = {
  readonly reload: Reload;
  readonly named: Named;
  readonly clients: ClientCertificates | undefined;
  readonly oidc: LiveOidc;
  readonly open: Open;
  readonly metrics: Metrics;
};

/** What a running server takes of another configuration, and the renewal of its certificate. */
const keepCurrent = async (
  config: ServeConfig,
  {reload, named, clients, oidc, open, metrics}: Kept,
  log: Logger,
  closers: Closers,
): Promise<void> => {
  const live = reloadBase(reload, config, named.tokenFile, log);
  reload.add('oidc', oidcReload(oidc, config, log));
  const parts = {tls: live.tls, folder: named.folder, clients, metrics};
  const renewal = await keepCertificate(config, open, parts, log);
  if (renewal === undefined) return;
  closers.add('certificate renewal', renewal.stop);
  reload.add('certificate', next => live.useTls(next, renewal.look));
};

/** What was installed with the program. */
export type Installed = {
  /** The folder of the built console. */
  readonly consoleDir?: string;
};

/**
 * Starts everything. Throws CommandError for what the user can mend, and the reason of `signal` when it aborts before all is
 * up; nothing is left open then, nor a data folder that was not there before.
 */
export async function startServer(
  config: ServeConfig,
  log: Logger,
  signal: AbortSignal,
  installed: Installed = {},
): Promise<RunningServer> {
  const closers = new Closers(log);
  const reload = new Reload();
  try {
    const named = await openNamedFiles(config, log, closers);
    const {folder, first, given, exporters} = named;
    const metrics = createMetrics({node: config.metricsNode});
    let url = '';
    const publicUrl = (): string => url;
    const whoMay = await openWhoMay(config, {named, metrics, publicUrl}, log, closers);
    const {auth, clients} = whoMay;
    signal.throwIfAborted();
    const {unread, fairness} = openBounds(config, metrics, log);
    const audit = await openAudit(config, {dataDir: folder.dir, metrics, reload}, log, closers);
    const storeHealth = createStoreHealth(log, systemTimers);
    const store = await openStore(config, {folder, health: storeHealth, metrics, reload}, log, closers);
    closers.add('data of a first start', () => first.look(store));
    await removeServerFile(folder.dir); // of one that was killed: what it names is not vouched for by our lock
    signal.throwIfAborted();
    let ready = false;
    const all: HealthCheck = {name: 'all-parts', readyOnly: true, check: () => (ready ? undefined : 'not ready')};
    const checks = [...storeHealth.checks, all];
    // Its roles decide, and its namespace names the server, also when its API is not served.
    const parts = {...whoMay, store, health: checks, metrics, unread, audit, backup: new BackupRoute(log), fairness};
    const opened = await openKube(config, parts, log, closers);
    const token = whoMay.accounts.serve(opened, {unread, auditor: audit.auditor});
    signal.throwIfAborted();
    const kube = config.apis.kubernetes ? opened : undefined;
    const {rights} = opened.services;
    metrics.showRights(rights);
    if (kube !== undefined) metrics.showWatches(kube.services.watchers);
    let ids: OpenIds | undefined;
    if (config.apis.ids && exporters !== undefined) {
      const {openIds} = await import('./open-ids.ts'); // see grpcSide: loaded only where it is served
      const parts = {
        ...{store, folder, auth, metrics, unread, fairness, rights, reload, signal, exporters, auditor: audit.auditor},
        publicUrl,
        serverUid: serverUid(opened),
      };
      ids = await openIds(config, parts, log, closers);
    }
    await openBackups(config, {...parts, folder, kube: opened, records: ids?.records}, log, closers);
    await first.openToRequests(store);
    const console = openConsole(config, {...whoMay, installed, unread, auditor: audit.auditor}, log);
    const sides = {...parts, kube, authority: opened, ids: ids?.api, token, console, given, log};
    const open = await openListeners(config, sides, folder, closers);
    url = publicUrlOf(open);
    open.admitRequests();
    signal.throwIfAborted();
    const server = await announce(config, open, folder, closers);
    await keepCurrent(config, {reload, named, clients, oidc: whoMay.oidc, open, metrics}, log, closers);
    signal.throwIfAborted();
    globalThis.gc?.({type: 'major', execution: 'sync', flavor: 'last-resort'}); // what the start left behind (ADR 0012)
    ready = true;
    first.succeed();
    closers.add('readiness', () => {
      ready = false;
    });
    closers.add('reload', () => reload.end());
    return {ready: server, reload: source => reload.run(source), stop: () => closers.closeAll()};
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}
