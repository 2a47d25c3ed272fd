// SPDX-License-Identifier: Apache-2.0
/** The sockets, what is behind them, and their end. */
import {hostname} from 'node:os';
import {credentialsOf, type KubeApi} from '@palisade/apiserver';
import type {IdsApi} from '@palisade/ids';
import {auditRefusals} from '../audit/audit-refusals.ts';
import type {BackupRoute} from '../backup/backup-route.ts';
import {leadingBrowsers} from '../console/browser-visits.ts';
import {userOfSession} from '../console/session-authenticator.ts';
import {csrfFault} from '../console/session-guard.ts';
import type {Sessions} from '../console/sessions.ts';
import type {Metrics} from '../metrics/metrics.ts';
import type {ServeConfig} from '../parts/config.ts';
import type {ServerCertificate} from '../pki/certificates.ts';
import type {ClientCertificates} from '../pki/client-certificates.ts';
import {firstCertificate, tlsPemOf} from '../pki/serving-certificate.ts';
import {formatAddress, type ListenAddress} from '../port/addresses.ts';
import {gateBefore} from '../port/gate.ts';
import {type AnyRequest, type Handler, type Listener, listenPlain, listenTls} from '../port/listeners.ts';
import {withRequestLog} from '../port/request-log.ts';
import {refusing, route, type Side, type Sides, withoutCrossSite, withoutForeignPages} from '../port/router.ts';
import type {DataFolder} from '../process/data-folder.ts';
import type {Logger} from '../process/logger.ts';
import {monotonicClock, systemTimers} from '../process/system.ts';
import type {Closers} from './closers.ts';
import {grpcSide} from './grpc-side.ts';
import type {OpenAudit} from './open-audit.ts';

/** How long requests may go on after a drain began. */
const DRAIN_MS = 10_000;
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

export type ListenerSides = {
  kube: KubeApi | undefined;
  /** Decides with its roles, also when its API is not served; asked for metrics and health then. */
  authority: KubeApi;
  ids: IdsApi | undefined;
  token: Side;
  console: Side;
  /** Of the console; undefined: it is not served, or nobody signs in. */
  sessions: Sessions | undefined;
  metrics: Metrics;
  audit: OpenAudit;
  backup: BackupRoute;
  /** The pair of the user for --https. */
  given: ServerCertificate | undefined;
  /** Undefined: no client certificate counts. */
  clients: ClientCertificates | undefined;
  log: Logger;
};

const isSame = (a: ListenAddress | undefined, b: ListenAddress | undefined): boolean =>
  a !== undefined && b !== undefined && formatAddress(a) === formatAddress(b);

const askedIn = (request: AnyRequest) => {
  const {method, url} = request;
  return {method, url, credentials: credentialsOf(request)};
};

/** Requests of a session without its CSRF token do not reach the router; the session says whose they are. */
const withCsrfToken = (sessions: Sessions, {auditor}: OpenAudit, handler: Handler): Handler =>
  refusing(
    handler,
    request => csrfFault(sessions, askedIn(request)),
    auditRefusals(auditor, request => userOfSession(sessions, credentialsOf(request))),
  );

/** Requests that pages of other sites may have sent do not reach the router. */
const guarded = ({auth, tlsNames}: ServeConfig, {sessions, audit}: ListenerSides, handler: Handler): Handler => {
  const onRefused = auditRefusals(audit.auditor);
  if (auth === 'none') {
    const names = new Set([hostname(), ...tlsNames].map(name => name.toLowerCase()));
    return withoutForeignPages(handler, onRefused, names);
  }
  return withoutCrossSite(sessions === undefined ? handler : withCsrfToken(sessions, audit, handler), onRefused);
};

/**
 * Opens the sockets, all with one handler; `--grpc` at the address of `--http` is the same socket. Requests wait until
 * `admitRequests()`.
 */
export async function openListeners(config: ServeConfig, parts: ListenerSides, folder: DataFolder, closers: Closers) {
  const sides: Sides = {
    kubernetes: parts.kube === undefined ? undefined : (q, s) => parts.kube?.handle(q, s),
    ids: parts.ids === undefined ? undefined : async (q, s) => void (await parts.ids?.handle(q, s)),
    grpc: parts.ids === undefined ? undefined : await grpcSide(parts.ids, parts.log),
    token: parts.token,
    console: parts.console,
    metrics:
      parts.kube === undefined
        ? config.auth === 'none'
          ? parts.metrics.open
          : (q, r) => parts.authority.handle(q, r)
        : undefined,
    health: parts.kube === undefined ? (q, r) => parts.authority.handle(q, r) : undefined,
  };
  const {log, metrics} = parts;
  const onRefused = auditRefusals(parts.audit.auditor);
  const routed = route(sides, log, onRefused);
  const handler = withRequestLog(
    log,
    monotonicClock,
    metrics.counted(guarded(config, parts, config.console ? leadingBrowsers(routed) : routed)),
  );
  const gate = gateBefore(handler);
  const listeners: Listener[] = [];
  closers.add('listeners', () =>
    drain(listeners, () => {
      gate.refuseAll();
      parts.kube?.services.watchers.stopAll();
      parts.ids?.endStreams();
      parts.audit.endStreams();
      parts.backup.endStreams();
    }),
  );
  const opened = async <L extends Listener>(listener: Promise<L>): Promise<L> => {
    listeners.push(await listener);
    return listener;
  };
  const onHandshakeFailed = (): void => {
    metrics.handshakes.failed++;
  };
  const port = {timers: systemTimers, log, onHandshakeFailed};
  const openPlain = async (at: ListenAddress | undefined, flag: string): Promise<Listener | undefined> =>
    at === undefined ? undefined : opened(listenPlain(at, flag, gate.handler, port));
  const http = await openPlain(config.http, 'http');
  const grpc = isSame(config.grpc, config.http) ? http : await openPlain(config.grpc, 'grpc');
  const pem = await firstCertificate(config, parts.given, folder, log);
  if (parts.clients !== undefined) {
    parts.clients.trust(pem?.authorities ?? []);
    closers.add('client certificates', () => parts.clients?.stop());
    await parts.clients.start();
  }
  const https =
    config.https === undefined || pem === undefined
      ? undefined
      : await opened(listenTls(config.https, 'https', tlsPemOf(pem), gate.handler, port));
  return {http, grpc, https, pem, admitRequests: gate.open};
}

/** What listens, and the certificate that `https` has. */
export type Open = Awaited<ReturnType<typeof openListeners>>;
