// SPDX-License-Identifier: Apache-2.0
import {
  CompatError,
  type ControllerFactory,
  createKubeApi,
  deletionTimers,
  type Fairness,
  garbageCollection,
  type HealthCheck,
  hasObjects,
  KindError,
  type KubeApi,
  type UnreadAnswers,
} from '@palisade/apiserver';
import {createKubeModule, namespacesKind} from '@palisade/kinds';
import {createProber} from '@palisade/prober';
import {isStoreError, type Store} from '@palisade/store';
import type {Accounts} from '../accounts/open-accounts.ts';
import type {Auth} from '../auth/auth.ts';
import {BACKUP_PATH, type BackupRoute} from '../backup/backup-route.ts';
import {CommandError} from '../errors.ts';
import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemClock, systemRandom, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';
import type {OpenAudit} from './open-audit.ts';

/** What the server is known by whatever its address, as on a real cluster: the UID of a namespace that cannot be deleted. */
export function serverUid(kube: KubeApi): string {
  const uid = kube.services.registryOf(namespacesKind).get('', 'kube-system')?.decode().metadata.uid;
  if (uid === undefined) throw new Error('namespace kube-system not found');
  return uid;
}

/** How many objects each resource has that is stored under a name of its own. */
const storedIn = ({kinds, services}: KubeApi) =>
  kinds
    .filter(kind => hasObjects(kind) && kind.storedAs === undefined)
    .map(kind => {
      const {group, resource} = kind;
      return {group, resource, count: services.registryOf(kind).cache.objects.count};
    });

/**
 * The Kubernetes side, started; also needed where only its roles decide, or its namespace names the server. Throws CommandError where the data does not bear `--compat`
 * or is damaged, and where a kind cannot be served.
 */
export async function openKube(
  config: ServeConfig,
  parts: {
    store: Store;
    health: readonly HealthCheck[];
    auth: Auth;
    /** Those that belong to authentication: they have started before the first request. */
    controllers: readonly ControllerFactory[];
    metrics: Metrics;
    unread: UnreadAnswers;
    accounts: Accounts;
    audit: OpenAudit;
    backup: BackupRoute;
    fairness: Fairness;
  },
  log: Logger,
  closers: Closers,
): Promise<KubeApi> {
  const proberLog = log.child({part: 'health checks'});
  const prober = createProber({clock: systemClock, random: systemRandom, timers: systemTimers, log: proberLog});
  parts.metrics.showChecks(prober);
  closers.add('health checks', () => prober.stop());
  const kubeModule = createKubeModule(config.kinds, {prober, tokens: parts.accounts.tokens});
  try {
    const kube = createKubeApi({
      ...parts.auth,
      store: parts.store,
      kinds: kubeModule.kinds,
      bootstraps: kubeModule.bootstraps,
      documents: [parts.metrics.document, parts.audit.document, parts.backup.document, ...parts.accounts.documents],
      documentPaths: ['/metrics', '/audit', BACKUP_PATH, ...parts.accounts.documentPaths],
      auditor: parts.audit.auditor,
      health: parts.health,
      unread: parts.unread,
      fairness: parts.fairness,
      compat: config.compat,
      controllers: [
        ...kubeModule.controllers,
        parts.auth.authorizer.controller,
        ...parts.controllers,
        garbageCollection,
        deletionTimers,
      ],
      clock: systemClock,
      stopwatch: monotonicClock,
      random: systemRandom,
      timers: systemTimers,
      log: log.child({part: 'kubernetes'}),
    });
    await kube.start();
    parts.metrics.showApi({counts: kube.counts, sent: kube.services.watchers.sent, stored: () => storedIn(kube)});
    parts.metrics.showQueues(kube.services.queues);
    closers.add('kubernetes API', () => kube.stop());
    return kube;
  } catch (error) {
    const isSaid = error instanceof KindError || error instanceof CompatError || isStoreError(error);
    throw isSaid ? new CommandError(error.message, {cause: error}) : error;
  }
}
