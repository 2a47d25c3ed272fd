// SPDX-License-Identifier: Apache-2.0
/** Values that a server has for keys of the configuration that nobody sets and whose flag names no default, in the form of the file. */
import {RECORD_BUDGETS_DEFAULT} from '@palisade/ids/record-budgets';
import {DEFAULT_RULE_POLICY, SENSOR_LIMITS} from '@palisade/sensor';
import {DEFAULT_HOME_NET} from '@palisade/sensor/home-net';
import {BACKUP_DEFAULTS} from '../backup/backup-config.ts';
import {formatAddress} from '../port/addresses.ts';
import {AUDIT_DEFAULTS, type AuditConfig} from './audit-config.ts';
import type {ServeConfig} from './config.ts';
import {ageText} from './units.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Without those that have no effect, which a configuration may not have. */
const auditValues = ({path, mode}: AuditConfig) => ({
  auditLogPath: {value: path},
  ...(path === 'off' ? {} : {auditLogMode: {value: mode}}),
  ...(path === 'off' || path === '-'
    ? {}
    : {
        auditLogMaxsize: {value: AUDIT_DEFAULTS.maxsize},
        auditLogMaxbackup: {value: AUDIT_DEFAULTS.maxbackup},
        auditLogMaxage: {value: AUDIT_DEFAULTS.maxage},
      }),
});

/** By key, or path of a key. `origin`: where it is from, if not from the program. */
export const defaultValues = (
  {dataDir, http, https, sensorsAt, audit, backup}: ServeConfig,
  env: Env,
): Readonly<Record<string, {readonly value: unknown; readonly origin?: string}>> => ({
  data: {value: dataDir, ...(env['XDG_STATE_HOME'] === undefined ? {} : {origin: 'environment XDG_STATE_HOME'})},
  http: {value: http === undefined ? 'off' : formatAddress(http)},
  https: {value: https === undefined ? 'off' : formatAddress(https)},
  console: {value: true},
  ...auditValues(audit),
  ...(backup === undefined
    ? {}
    : {backupEvery: {value: BACKUP_DEFAULTS.every}, backupKeep: {value: BACKUP_DEFAULTS.keep}}),
  homeNet: {value: DEFAULT_HOME_NET},
  rulesMinLoaded: {value: DEFAULT_RULE_POLICY.minLoadedPercent},
  sensorUser: {value: 'nobody'},
  sensorsAt: {value: sensorsAt},
  threatsBytes: {value: RECORD_BUDGETS_DEFAULT.threats.bytes},
  threatsAge: {value: ageText(RECORD_BUDGETS_DEFAULT.threats.ageMs)},
  trafficBytes: {value: RECORD_BUDGETS_DEFAULT.traffic.bytes},
  trafficAge: {value: ageText(RECORD_BUDGETS_DEFAULT.traffic.ageMs)},
  trafficSample: {value: 1},
  evidenceBytes: {value: RECORD_BUDGETS_DEFAULT.evidence.bytes},
  evidenceAge: {value: ageText(RECORD_BUDGETS_DEFAULT.evidence.ageMs)},
  'limits.packetQueue': {value: SENSOR_LIMITS.queueBytesMax},
  'limits.lossPercent': {value: SENSOR_LIMITS.lossRatioMax * 100},
  'limits.diskFloor': {value: SENSOR_LIMITS.diskFloorBytes},
});
