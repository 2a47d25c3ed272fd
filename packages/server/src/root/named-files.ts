// SPDX-License-Identifier: Apache-2.0
/** What the command line names, looked at before anything is opened: whoever mends a start is told of all faults at once. */

import {LiveTokenFile} from '../auth/live-token-file.ts';
import type {Issuer} from '../auth/oidc/open-issuer.ts';
import {readIssuer} from '../auth/oidc/open-oidc.ts';
import {assertRestoreFinished} from '../backup/unfinished-restore.ts';
import {CommandError} from '../errors.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {ServerCertificate} from '../pki/certificates.ts';
import {givenPair} from '../pki/serving-certificate.ts';
import {type DataFolder, openDataFolder} from '../process/data-folder.ts';
import {readFolderFormat} from '../process/folder-format.ts';
import type {Logger} from '../process/logger.ts';
import {tightenDataFolder} from '../process/private-data.ts';
import type {Closers} from './closers.ts';
import {FirstStart} from './first-start.ts';
import type {Exporters} from './open-exporters.ts';

/** Waits for all. Throws one CommandError with the lines of all, or the first error that is none. */
const together = async <T extends readonly (Promise<unknown> | undefined)[]>(...work: T) => {
  const results = await Promise.allSettled(work);
  const errors: unknown[] = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length < 2) return Promise.all(work);
  const other = errors.find(error => !(error instanceof CommandError));
  throw other ?? new CommandError(errors.map(error => (error as CommandError).message).join('\n'), {cause: errors});
};

const openFolder = async (config: ServeConfig, log: Logger, closers: Closers) => {
  const folder = await openDataFolder(config.dataDir);
  assertRestoreFinished(folder.dir);
  const first = new FirstStart(folder);
  closers.add('data folder', () => first.undo());
  await readFolderFormat(folder.dir);
  await tightenDataFolder(folder, log);
  return {folder, first};
};

const checkRulesOf = async (config: ServeConfig): Promise<void> => {
  if (!config.apis.ids) return;
  const {checkRules, isOfUser} = await import('./open-sensors.ts'); // loaded only where it is served
  if (isOfUser(config.sensors)) await checkRules(config.sensors);
};

const openExporters = async (config: ServeConfig, log: Logger, closers: Closers): Promise<Exporters | undefined> => {
  if (!config.apis.ids) return undefined;
  const {Exporters} = await import('./open-exporters.ts'); // loaded only where it is served
  const exporters = new Exporters(log);
  closers.add('exporters that never ran', () => exporters.stop());
  await exporters.open(config.records.exports);
  return exporters;
};

export type Named = {
  /** The tokens of --token-auth-file; undefined: there is no such file. */
  readonly tokenFile: LiveTokenFile | undefined;
  /** Of --oidc-issuer-url. */
  readonly issuer: Issuer | undefined;
  readonly folder: DataFolder;
  readonly first: FirstStart;
  /** The pair of --tls-cert for --https. */
  readonly given: ServerCertificate | undefined;
  /** Opened, not yet started; undefined: the IDS side is not served. */
  readonly exporters: Exporters | undefined;
};

/** The token file, the CA of the OIDC issuer, the data folder, the certificate, the rules and the files of exporters. Throws CommandError with all that cannot be used. */
export const openNamedFiles = async (config: ServeConfig, log: Logger, closers: Closers): Promise<Named> => {
  const [tokenFile, issuer, data, given, , exporters] = await together(
    config.tokenAuthFile === undefined ? undefined : LiveTokenFile.open(config.tokenAuthFile, log),
    readIssuer(config.oidc),
    openFolder(config, log, closers),
    givenPair(config, log),
    checkRulesOf(config),
    openExporters(config, log, closers),
  );
  return {tokenFile, issuer, ...data, given, exporters};
};
