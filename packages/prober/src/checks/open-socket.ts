// SPDX-License-Identifier: Apache-2.0
/** The only place where a check connects: to an IP address that the guard lets through, by a new connection for each check. */
import {connect, isIP, type Socket} from 'node:net';
import {type ConnectionOptions, checkServerIdentity, type PeerCertificate, connect as tlsConnect} from 'node:tls';
import type {CheckTls} from '../port.ts';
import type {Timers} from '../system.ts';
import type {AddressGuard} from './address.ts';
import type {Attempt} from './attempt.ts';
import type {TlsContexts} from './tls-contexts.ts';

export type CheckPorts = {
  readonly guard: AddressGuard;
  readonly contexts: TlsContexts;
  readonly timers: Timers;
};

export type Peer = {
  readonly ip: string;
  readonly port: number;
  readonly tls: CheckTls | undefined;
  /** Protocols that are offered in TLS; none: no offer. */
  readonly protocols: readonly string[];
};

const ignore = (): void => undefined;

const tlsOptions = ({ip, port, protocols}: Peer, tls: CheckTls, contexts: TlsContexts): ConnectionOptions => {
  const {serverName, verify} = tls;
  const name = serverName === undefined || isIP(serverName) !== 0 ? undefined : serverName;
  return {
    ...{host: ip, port, secureContext: contexts.of(tls), rejectUnauthorized: verify},
    ...(name === undefined ? {} : {servername: name}),
    ...(protocols.length > 0 ? {ALPNProtocols: [...protocols]} : {}),
    checkServerIdentity: (_host: string, certificate: PeerCertificate) =>
      checkServerIdentity(serverName ?? ip, certificate),
  };
};

/**
 * `onOpen` gets the socket when TCP, and TLS where it is asked for, are up: from then on its errors and its end are up to the
 * taker; until then it is closed with the attempt.
 */
export const openSocket = (
  attempt: Attempt,
  peer: Peer,
  {guard, contexts}: CheckPorts,
  onOpen: (socket: Socket) => void,
): void => {
  const {ip, port, tls} = peer;
  const refused = guard(ip);
  if (refused !== undefined) {
    attempt.fail(`not checked: ${ip} is ${refused}`);
    return;
  }
  attempt.waitsFor = 'connecting';
  let socket: Socket;
  if (tls === undefined) socket = connect({host: ip, port, noDelay: true});
  else {
    let options: ConnectionOptions;
    try {
      options = tlsOptions(peer, tls, contexts);
    } catch {
      attempt.fail('tlsConfig.caBundle holds no readable certificate');
      return;
    }
    socket = tlsConnect(options);
    socket.setNoDelay(true);
  }
  let isTaken = false;
  const onError = (error: Error): void => attempt.failBy(error);
  const onClose = (): void => attempt.fail(`connection closed by the peer while ${attempt.waitsFor}`);
  socket.on('error', onError).on('close', onClose);
  if (tls !== undefined)
    socket.once('connect', () => {
      attempt.waitsFor = 'waiting for the TLS handshake';
    });
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    if (attempt.isOver) return;
    isTaken = true;
    socket.off('close', onClose).on('error', ignore).off('error', onError);
    onOpen(socket);
  });
  attempt.closeWith(() => {
    socket.on('error', ignore);
    if (!isTaken) socket.destroy();
  });
};
