// SPDX-License-Identifier: Apache-2.0
/** The audit log of a server, opened before anything answers requests, and closed after all that does. */
import {mkdir} from 'node:fs/promises';
import {dirname} from 'node:path';
import type {Auditor, AuditPolicy, DocumentRoute} from '@palisade/apiserver';
import {whyUnwritable} from '@palisade/engine/file-faults';
import {AuditLog} from '../audit/audit-log.ts';
import {AuditRoute} from '../audit/audit-route.ts';
import {readAuditPolicy} from '../audit/policy-file.ts';
import {type LineSink, RotatingFile} from '../audit/rotating-file.ts';
import {CommandError} from '../errors.ts';
import type {Metrics} from '../metrics/metrics.ts';
import {type AuditConfig, auditFileIn} from '../parts/audit-config.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {Logger} from '../process/logger.ts';
import {systemClock, systemRandom, systemTimers} from '../process/system.ts';
import {versionOf, WatchedFile} from '../process/watch-file.ts';
import type {Closers} from './closers.ts';
import type {Reload} from './reload.ts';

export type OpenAudit = {
  /** Undefined: --audit-log-path off. */
  readonly auditor: Auditor | undefined;
  /** `GET /audit`. */
  readonly document: DocumentRoute;
  readonly endStreams: () => void;
};

const STDOUT: LineSink = {
  append: lines =>
    new Promise((resolve, reject) => process.stdout.write(lines, error => (error ? reject(error) : resolve()))),
  close: async () => {},
};

type Parts = {
  readonly dataDir: string;
  readonly metrics: Metrics;
  readonly reload: Reload;
};

/** Throws CommandError for a policy with faults, and for a file that cannot be opened. */
export const openAudit = async (
  config: ServeConfig,
  parts: Parts,
  log: Logger,
  closers: Closers,
): Promise<OpenAudit> => {
  const {audit} = config;
  const {metrics, reload} = parts;
  const file = audit.path === 'off' || audit.path === '-' ? undefined : audit.path;
  const route = new AuditRoute({file, timers: systemTimers, clock: systemClock});
  const open = {document: route.document, endStreams: () => route.endStreams()};
  if (audit.path === 'off') return {auditor: undefined, ...open};
  const version = audit.policyFile === undefined ? undefined : await versionOf(audit.policyFile);
  const policy = await readAuditPolicy(audit.policyFile);
  log.info(loadedFields(audit.policyFile, policy), 'audit policy loaded');
  const auditLog = new AuditLog({
    ...{mode: audit.mode, policy, log: log.child({part: 'audit'})},
    ...{clock: systemClock, random: systemRandom, timers: systemTimers},
    sink: file === undefined ? STDOUT : await openFile(file, audit, parts.dataDir),
  });
  closers.add('audit log', () => auditLog.close());
  metrics.showAudit(auditLog);
  if (audit.policyFile !== undefined && version !== undefined)
    watchPolicy(auditLog, {path: audit.policyFile, version}, {log, closers});
  reload.add('audit', async next => ((await usePolicy(auditLog, next.audit.policyFile, log)) ? 'applied' : 'failed'));
  return {auditor: auditLog, ...open};
};

const openFile = async (file: string, {rotation}: AuditConfig, dataDir: string): Promise<LineSink> => {
  const isOwn = file === auditFileIn(dataDir);
  try {
    if (isOwn) await mkdir(dirname(file), {mode: 0o700, recursive: true});
    return await RotatingFile.open(file, rotation, () => systemClock.now());
  } catch (error) {
    const said = isOwn ? `--data ${dataDir}: ${file}` : `--audit-log-path ${file}`;
    throw new CommandError(`${said}: ${whyUnwritable(error)}`, {cause: error});
  }
};

const loadedFields = (file: string | undefined, {rules}: AuditPolicy): object => ({
  file: file ?? 'bundled',
  rules: rules.length,
});

/** False: the previous policy stays active, and the log says why. */
const usePolicy = async (auditLog: AuditLog, path: string | undefined, log: Logger): Promise<boolean> => {
  try {
    const policy = await readAuditPolicy(path);
    auditLog.usePolicy(policy);
    log.info(loadedFields(path, policy), 'audit policy loaded');
    return true;
  } catch (error) {
    log.error({err: error}, 'audit policy reload failed, the previous policy stays active');
    return false;
  }
};

const watchPolicy = (
  auditLog: AuditLog,
  {path, version}: {readonly path: string; readonly version: string},
  {log, closers}: {readonly log: Logger; readonly closers: Closers},
): void => {
  const changed = async (): Promise<void> => void (await usePolicy(auditLog, path, log));
  const watched = new WatchedFile({path, version, changed, timers: systemTimers, log});
  closers.add('audit policy file', () => watched.stop());
};
