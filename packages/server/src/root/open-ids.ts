// SPDX-License-Identifier: Apache-2.0
/** The IDS side: records, sensors, API. Loads all that belongs to it alone: only for servers that serve it. */
import {isDeepStrictEqual} from 'node:util';
import type {Auditor, Fairness, OpenRights, UnreadAnswers} from '@palisade/apiserver';
import {createIdsApi, type IdsApi, keptSwitches, type RecordStore} from '@palisade/ids';
import type {Ipv4Range} from '@palisade/ids/ipv4-range';
import type {SuricataSensorHost} from '@palisade/sensor';
import type {Store} from '@palisade/store';
import type {Auth} from '../auth/auth.ts';
import type {Metrics} from '../metrics/metrics.ts';
import {RecordWrites} from '../metrics/record-metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemRandom, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';
import type {Exporters} from './open-exporters.ts';
import {openRecords} from './open-records.ts';
import {isOfUser, openSensors, rulePlanOf} from './open-sensors.ts';
import {unansweredOf} from './pool-answers.ts';
import type {Reload} from './reload.ts';
import {reloadRules} from './reload-rules.ts';

export type OpenIds = {readonly api: IdsApi; readonly records: RecordStore};

export type IdsParts = {
  readonly store: Store;
  readonly folder: DataFolder;
  readonly auth: Auth;
  readonly metrics: Metrics;
  readonly unread: UnreadAnswers;
  readonly rights: OpenRights;
  readonly fairness: Fairness;
  readonly reload: Reload;
  /** Known when the listeners are open. */
  readonly publicUrl: () => string;
  readonly serverUid: string;
  readonly signal: AbortSignal;
  readonly exporters: Exporters;
  readonly auditor: Auditor | undefined;
};

/** Resolves when the API is started; throws the reason of `signal`, CommandError for records of an older version, or what `openSensors` does. */
export async function openIds(config: ServeConfig, parts: IdsParts, log: Logger, closers: Closers): Promise<OpenIds> {
  const {store, folder, auth, metrics, unread, fairness, rights, reload, publicUrl, serverUid, signal, exporters} =
    parts;
  const records = await openRecords(config, folder, log, closers);
  exporters.start(records, recordAgeMs(config));
  closers.add('exporters', () => exporters.stop()); // after the sensors have written their last records
  const writes = new RecordWrites();
  const sample = {oneOf: config.records.trafficSample};
  const trafficSample = (): number => sample.oneOf;
  const sensorHost = await openSensors(
    config.sensors,
    {
      ...{folder, records: writes.counted(records), keep: config.records},
      ...{trafficSample, switches: keptSwitches(store), signal},
    },
    log,
    closers,
  );
  signal.throwIfAborted();
  metrics.showSensors(sensorHost);
  metrics.showRecords(records, writes);
  metrics.showExporters(exporters);
  const quota = {endpointsPerProject: config.quotaEndpoints};
  reloadIds(reload, config, {sensorHost, records, quota, exporters, sample}, log);
  await warnOfUnanswered(config.endpointPool, log);
  const ids = createIdsApi({
    ...auth,
    store,
    sensorHost,
    records,
    exporters,
    clock: systemClock,
    random: systemRandom,
    timers: systemTimers,
    log: log.child({part: 'ids'}),
    locations: config.locations.map(id => ({id, sensor: config.sensorsAt.includes(id)})),
    pool: config.endpointPool,
    publicUrl,
    serverUid,
    quota,
    unread,
    rights,
    auditor: parts.auditor,
    fairness,
  });
  await ids.start();
  closers.add('IDS API', () => ids.stop());
  const clearing = endLeftovers(sensorHost, ids, log);
  closers.add('leftover sensors', () => clearing);
  return {api: ids, records};
}

/** How long a record is kept at most. */
const recordAgeMs = ({records: {budgets}}: ServeConfig): number =>
  Math.max(budgets.threats.ageMs, budgets.traffic.ageMs);

type Reloaded = {
  readonly sensorHost: SuricataSensorHost;
  readonly records: RecordStore;
  readonly quota: {endpointsPerProject: number | undefined};
  readonly exporters: Exporters;
  readonly sample: {oneOf: number};
};

/** The bundled rules are files of the product: without others there is nothing to read again. */
const reloadIds = (reload: Reload, start: ServeConfig, parts: Reloaded, log: Logger): void => {
  const {sensorHost, records, quota, exporters, sample} = parts;
  reload.add('exporters', next => exporters.reload(next.records.exports, recordAgeMs(next)));
  let rules = rulePlanOf(start.sensors);
  reload.add('rules', async ({sensors}) => {
    const next = rulePlanOf(sensors);
    if (!isOfUser(sensors) && isDeepStrictEqual(rules, next)) return 'applied';
    const notTaken = await reloadRules(sensorHost, next, log);
    if (notTaken === undefined) rules = next;
    return notTaken ?? 'applied';
  });
  reload.add('records', async ({records: {budgets}}) => {
    records.setBudgets(budgets);
    sensorHost.setFlowBudget(budgets.evidence);
    return 'applied';
  });
  reload.add('trafficSample', async ({records: {trafficSample}}) => {
    sample.oneOf = trafficSample;
    return 'applied';
  });
  reload.add('quota', async ({quotaEndpoints}) => {
    quota.endpointsPerProject = quotaEndpoints;
    return 'applied';
  });
};

/** An interface may get its addresses later, so the start continues. */
const warnOfUnanswered = async (pool: Ipv4Range, log: Logger): Promise<void> => {
  const addresses = await unansweredOf(pool);
  if (addresses.length === 0) return;
  log.warn(
    {addresses},
    `this host does not accept traffic for --endpoint-pool ${pool.cidr}, endpoints there will fail; ` +
      `run ip route add local ${pool.cidr} dev lo, or use a range that this host accepts`,
  );
};

/** Sensors of a server that crashed, whose endpoints were deleted since: their last events are counted, then they go. */
const endLeftovers = async (host: SuricataSensorHost, ids: IdsApi, log: Logger): Promise<void> => {
  for (const endpoint of host.leftovers()) {
    if (ids.has(endpoint)) continue; // perhaps one of the same name was created while others were read
    log.info({endpoint}, 'stopping the sensor of a deleted endpoint');
    try {
      await host.stop(endpoint);
    } catch (error) {
      log.error({err: error, endpoint}, 'sensor could not be stopped, retrying at the next start');
    }
  }
};
