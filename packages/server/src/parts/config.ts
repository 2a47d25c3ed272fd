// SPDX-License-Identifier: Apache-2.0
/** Flags, environment and what a configuration file has beyond flags → one frozen ServeConfig. Every fault is named at once. */
import {resolve} from 'node:path';
import {type Ipv4Range, parseIpv4Range} from '@palisade/ids/ipv4-range';
import type {KindSettings} from '@palisade/kinds/settings';
import {type BackupConfig, type BackupFlags, backupConfigOf} from '../backup/backup-config.ts';
import {UsageError} from '../errors.ts';
import {type HistoryFlags, historyConfigOf} from '../history/history-config.ts';
import {defaultDataDir} from '../process/data-folder.ts';
import {type AccessConfig, type AccessFlags, accessConfigOf} from './access-config.ts';
import {type AccountFlags, accountConfigOf} from './account-config.ts';
import {type AuditConfig, type AuditFlags, auditConfigOf} from './audit-config.ts';
import {type FairnessConfig, type FairnessFlags, fairnessConfigOf} from './fairness-config.ts';
import {type FileSettings, NO_FILE_SETTINGS} from './file-settings.ts';
import {type KindFlags, kindConfigOf} from './kind-config.ts';
import {namesIn} from './names-in.ts';
import {type OidcConfig, type OidcFlags, oidcConfigOf} from './oidc-config.ts';
import {type RecordConfig, type RecordFlags, recordConfigOf} from './record-config.ts';
import {type SensorConfig, type SensorFlags, sensorConfigOf} from './sensor-config.ts';

export type {FileSettings} from './file-settings.ts';

export type ServeConfig = AccessConfig & {
  readonly dataDir: string;
  /** Whether the web console is served. */
  readonly console: boolean;
  readonly oidc: OidcConfig | undefined;
  readonly compat: 'spec' | 'kubernetes';
  readonly apis: {readonly kubernetes: boolean; readonly ids: boolean};
  readonly serviceAccountIssuer: string;
  readonly kinds: KindSettings;
  readonly sensors: SensorConfig;
  readonly records: RecordConfig;
  readonly locations: readonly string[];
  /** Those of `locations` that have a sensor. */
  readonly sensorsAt: readonly string[];
  readonly endpointPool: Ipv4Range;
  readonly quotaEndpoints: number | undefined;
  readonly fairness: FairnessConfig;
  /** History that can be read, in milliseconds. */
  readonly historyMs: number;
  readonly logLevel: string;
  /** `/metrics` shows the internals of Node, too. */
  readonly metricsNode: boolean;
  readonly audit: AuditConfig;
  /** Undefined: none is scheduled. */
  readonly backup: BackupConfig | undefined;
};

type Env = Readonly<Record<string, string | undefined>>;

/** Locations that every server has. */
const BUILT_IN_LOCATIONS = ['local', 'us-central1-a'] as const;
const LOCATION = /^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** Every location of the server, and those with a sensor: all of them where `--sensors-at` names none. */
const locationsOf = (more: readonly string[], withSensor: readonly string[]) => {
  const named = namesIn(more);
  const locations = [...new Set([...BUILT_IN_LOCATIONS, ...named])];
  const attached = [...new Set(namesIn(withSensor))];
  const faults = [
    ...named
      .filter(l => !LOCATION.test(l))
      .map(l => `--locations ${l}: must be lowercase letters, digits and hyphens, such as europe-west1-b`),
    ...attached
      .filter(l => !locations.includes(l))
      .map(l => `--sensors-at ${l}: no such location; this server has ${locations.join(', ')}`),
  ];
  if (withSensor.length > 0 && attached.length === 0) faults.push('--sensors-at: no location given');
  return {locations, sensorsAt: attached.length === 0 ? locations : attached, faults};
};

/** The flags of `palisade serve` as they were read: text, not yet checked. */
export type ServeFlags = {
  readonly [name in 'data' | 'quota-endpoints']: string | undefined;
} & {
  readonly [name in 'compat' | 'apis' | 'endpoint-pool' | 'log-level']: string;
} & {readonly console: boolean | undefined} & {readonly 'metrics-node': boolean} & {
  readonly [name in 'locations' | 'sensors-at']: readonly string[];
} & KindFlags &
  AccessFlags &
  AccountFlags &
  OidcFlags &
  SensorFlags &
  AuditFlags &
  BackupFlags &
  FairnessFlags &
  HistoryFlags &
  RecordFlags & {
    /** Default: there is no configuration file, or nothing beyond flags in it. */
    readonly inFile?: FileSettings;
  };
/**
 * Throws UsageError with one line per fault, `read` (those of the words themselves) among them. `onMissing`: gets the faults of a
 * configuration that lacks only what lets clients in; it cannot be served, but printed.
 */
export const toServeConfig = (
  o: ServeFlags,
  env: Env,
  cwd: string,
  read: readonly string[] = [],
  onMissing?: (fault: string) => void,
): ServeConfig => {
  const faults = [...read];
  const missing = onMissing ?? ((fault: string) => faults.push(fault));
  const file = o.inFile ?? NO_FILE_SETTINGS;
  const {faults: accessFaults, ...access} = accessConfigOf(o, cwd, read.length === 0, missing);
  faults.push(...accessFaults);
  const {locations, sensorsAt, faults: locationFaults} = locationsOf(o.locations, o['sensors-at']);
  faults.push(...locationFaults);
  const pool = parseIpv4Range(o['endpoint-pool']);
  if (pool === undefined)
    faults.push(`--endpoint-pool ${o['endpoint-pool']}: must be an IPv4 range such as 127.77.0.0/16, from /8 to /30`);
  const {issuer, faults: issuerFaults} = accountConfigOf(o, o['oidc-issuer-url']);
  faults.push(...issuerFaults);
  const {kinds, faults: kindFaults} = kindConfigOf(o);
  faults.push(...kindFaults);
  const {oidc, faults: oidcFaults} = oidcConfigOf(o, cwd);
  faults.push(...oidcFaults);
  if (o.auth === 'none' && o['oidc-issuer-url'] !== undefined)
    faults.push('--auth none and --oidc-issuer-url cannot be used together');
  const {sensors, faults: sensorFaults} = sensorConfigOf(o, cwd, file, locations);
  faults.push(...sensorFaults);
  const {records, faults: recordFaults} = recordConfigOf(o, file.exporters, cwd);
  faults.push(...recordFaults);
  const dataDir = o.data === undefined ? defaultDataDir(env) : resolve(cwd, o.data);
  const {audit, faults: auditFaults} = auditConfigOf(o, {cwd, dataDir});
  faults.push(...auditFaults);
  const {backup, faults: backupFaults} = backupConfigOf(o, {cwd, dataDir});
  faults.push(...backupFaults);
  const {fairness, faults: fairnessFaults} = fairnessConfigOf(o);
  faults.push(...fairnessFaults);
  const {historyMs, faults: historyFaults} = historyConfigOf(o);
  faults.push(...historyFaults);
  const quota = o['quota-endpoints'] === undefined ? undefined : Number(o['quota-endpoints']);
  if (quota !== undefined && !(Number.isInteger(quota) && quota >= 0))
    faults.push(`--quota-endpoints ${o['quota-endpoints']}: must be a whole number, 0 or more; omit it for no quota`);
  if (pool === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  return Object.freeze({
    dataDir,
    console: o.console ?? true,
    ...access,
    oidc,
    compat: o.compat === 'kubernetes' ? 'kubernetes' : 'spec',
    apis: {kubernetes: o.apis !== 'ids', ids: o.apis !== 'kubernetes'},
    serviceAccountIssuer: issuer,
    kinds,
    sensors,
    records,
    locations,
    sensorsAt,
    endpointPool: pool,
    quotaEndpoints: quota,
    fairness,
    historyMs,
    logLevel: o['log-level'],
    metricsNode: o['metrics-node'],
    audit,
    backup,
  });
};
