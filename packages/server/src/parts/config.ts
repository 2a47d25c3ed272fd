// SPDX-License-Identifier: Apache-2.0
/** Flags, environment and what a configuration file has beyond flags → one frozen ServeConfig. Every fault is named at once. */
import {resolve} from 'node:path';
import {type Ipv4Range, parseIpv4Range} from '@palisade/ids/ipv4-range';
import type {KindSettings} from '@palisade/kinds/settings';
import {UsageError} from '../errors.ts';
import {collide, formatAddress, isLoopback, type ListenAddress, parseListenAddress} from '../port/addresses.ts';
import {defaultDataDir} from '../process/data-folder.ts';
import {type AuditConfig, type AuditFlags, auditConfigOf} from './audit-config.ts';
import {type FileSettings, NO_FILE_SETTINGS} from './file-settings.ts';
import {type KindFlags, kindConfigOf} from './kind-config.ts';
import {namesIn} from './names-in.ts';
import {type RecordConfig, type RecordFlags, recordConfigOf} from './record-config.ts';
import {type SensorConfig, type SensorFlags, sensorConfigOf} from './sensor-config.ts';

export type {FileSettings} from './file-settings.ts';

export type ServeConfig = {
  readonly dataDir: string;
  /** At least one of `http` and `https` is there. */
  readonly http: ListenAddress | undefined;
  readonly https: ListenAddress | undefined;
  readonly grpc: ListenAddress | undefined;
  readonly auth: 'none' | 'tokens';
  readonly tokenAuthFile: string | undefined;
  readonly tls: {readonly certFile: string; readonly keyFile: string} | undefined;
  readonly compat: 'spec' | 'kubernetes';
  readonly apis: {readonly kubernetes: boolean; readonly ids: boolean};
  readonly kinds: KindSettings;
  readonly sensors: SensorConfig;
  readonly records: RecordConfig;
  readonly locations: readonly string[];
  /** Those of `locations` that have a sensor. */
  readonly sensorsAt: readonly string[];
  readonly endpointPool: Ipv4Range;
  readonly quotaEndpoints: number | undefined;
  readonly logLevel: string;
  readonly audit: AuditConfig;
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

/** Of --http. */
const OFF = 'off';
/** Where clients look for a server that lets in everyone on the machine. */
const HTTP_WITHOUT_CREDENTIALS = '127.0.0.1:8080';

/** The flags of `palisade serve` as they were read: text, not yet checked. */
export type ServeFlags = {
  readonly [name in 'data' | 'http' | 'https' | 'grpc' | 'auth' | 'token-auth-file' | 'tls-cert' | 'tls-key']:
    | string
    | undefined;
} & {readonly [name in 'quota-endpoints']: string | undefined} & {
  readonly [name in 'compat' | 'apis' | 'endpoint-pool' | 'log-level']: string;
} & {readonly [name in 'locations' | 'sensors-at']: readonly string[]} & KindFlags &
  SensorFlags &
  AuditFlags &
  RecordFlags & {
    /** Default: there is no configuration file, or nothing beyond flags in it. */
    readonly inFile?: FileSettings;
  };
type Addresses = {
  readonly http: ListenAddress | undefined;
  readonly https: ListenAddress | undefined;
  readonly grpc: ListenAddress | undefined;
};

/** Who is let in where, and options that do not go together. What is missing counts where all words could be read: else it may be there, misspelt. */
const accessFaults = (
  o: ServeFlags,
  {http, https, grpc}: Addresses,
  isRead: boolean,
  missing: (fault: string) => void,
): string[] => {
  const faults: string[] = [];
  if (http !== undefined && !isLoopback(http.host))
    faults.push(`--http ${http.host}: plain HTTP is served on loopback only; use --https for other addresses`);
  if (grpc !== undefined && !isLoopback(grpc.host))
    faults.push(`--grpc ${grpc.host}: plaintext gRPC is served on loopback only; --https serves gRPC too`);
  if (o.auth === 'none' && https !== undefined && !isLoopback(https.host))
    faults.push(`--auth none is refused on ${https.host}: it is allowed on loopback addresses only`);
  if (isRead && o.auth === undefined && o['token-auth-file'] === undefined)
    missing(
      'no authentication configured: use --token-auth-file FILE, or --auth none to allow everyone on this machine',
    );
  else if (isRead && o.https === undefined && (o.http ?? OFF) === OFF && http === undefined)
    missing('no address to listen on: use --https HOST:PORT, or --http HOST:PORT for this machine only');
  if (o.auth === 'none' && o['token-auth-file'] !== undefined)
    faults.push('--auth none and --token-auth-file cannot be used together');
  if (isRead && (o['tls-cert'] === undefined) !== (o['tls-key'] === undefined))
    faults.push('--tls-cert and --tls-key must be used together');
  return faults;
};

/** Only --http and --grpc may share a socket. */
const portFaults = ({http, https, grpc}: Addresses): string[] => {
  if (https === undefined) return [];
  const said = (flag: string, address: ListenAddress): string => `--${flag} ${formatAddress(address)}`;
  const taken = (flag: string, other: ListenAddress, wayOut: string): string[] =>
    collide(https, other) ? [`${said('https', https)} and ${said(flag, other)} need the same port: ${wayOut}`] : [];
  return [
    ...(http === undefined ? [] : taken('http', http, 'use different ports (0 takes a free port)')),
    ...(grpc === undefined ? [] : taken('grpc', grpc, 'omit --grpc (--https serves gRPC too), or use another port')),
  ];
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
  const address = (name: 'http' | 'https' | 'grpc', text: string | undefined): ListenAddress | undefined => {
    if (text === undefined) return undefined;
    const parsed = parseListenAddress(text);
    if (typeof parsed !== 'string') return parsed;
    faults.push(`--${name} ${parsed}`);
    return undefined;
  };
  const plain = o.http ?? (o.auth === 'none' ? HTTP_WITHOUT_CREDENTIALS : OFF);
  const http = plain === OFF ? undefined : address('http', plain);
  const https = address('https', o.https);
  const grpc = address('grpc', o.grpc);
  faults.push(...accessFaults(o, {http, https, grpc}, read.length === 0, missing));
  faults.push(...portFaults({http, https, grpc}));
  const {locations, sensorsAt, faults: locationFaults} = locationsOf(o.locations, o['sensors-at']);
  faults.push(...locationFaults);
  const pool = parseIpv4Range(o['endpoint-pool']);
  if (pool === undefined)
    faults.push(`--endpoint-pool ${o['endpoint-pool']}: must be an IPv4 range such as 127.77.0.0/16, from /8 to /30`);
  const {kinds, faults: kindFaults} = kindConfigOf(o);
  faults.push(...kindFaults);
  const {sensors, faults: sensorFaults} = sensorConfigOf(o, cwd, file, locations);
  faults.push(...sensorFaults);
  const {records, faults: recordFaults} = recordConfigOf(o, file.exporters, cwd);
  faults.push(...recordFaults);
  const dataDir = o.data === undefined ? defaultDataDir(env) : resolve(cwd, o.data);
  const {audit, faults: auditFaults} = auditConfigOf(o, {cwd, dataDir});
  faults.push(...auditFaults);
  const quota = o['quota-endpoints'] === undefined ? undefined : Number(o['quota-endpoints']);
  if (quota !== undefined && !(Number.isInteger(quota) && quota >= 0))
    faults.push(`--quota-endpoints ${o['quota-endpoints']}: must be a whole number, 0 or more; omit it for no quota`);
  if (pool === undefined || faults.length > 0) throw new UsageError(faults.join('\n'));
  const absolute = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const certFile = absolute(o['tls-cert']);
  const keyFile = absolute(o['tls-key']);
  return Object.freeze({
    dataDir,
    http,
    https,
    grpc,
    auth: o.auth === 'none' ? 'none' : 'tokens',
    tokenAuthFile: absolute(o['token-auth-file']),
    tls: certFile !== undefined && keyFile !== undefined ? {certFile, keyFile} : undefined,
    compat: o.compat === 'kubernetes' ? 'kubernetes' : 'spec',
    apis: {kubernetes: o.apis !== 'ids', ids: o.apis !== 'kubernetes'},
    kinds,
    sensors,
    records,
    locations,
    sensorsAt,
    endpointPool: pool,
    quotaEndpoints: quota,
    logLevel: o['log-level'],
    audit,
  });
};
