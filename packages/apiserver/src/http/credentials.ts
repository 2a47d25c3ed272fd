// SPDX-License-Identifier: Apache-2.0
/** What a request shows of who sent it: the same for both APIs. */
import type {Socket} from 'node:net';
import type {DetailedPeerCertificate, TLSSocket} from 'node:tls';
import type {ClientCertificate, Credentials} from '../identity/authenticator.ts';
import type {HttpRequest} from './exchange.ts';

/** Of connections that were asked about; a handshake does not change later. */
const known = new WeakMap<object, ClientCertificate | undefined>();

const certificateOf = (socket: Socket): ClientCertificate | undefined => {
  const {authorized, getPeerCertificate} = socket as Partial<TLSSocket>;
  if (authorized !== true || getPeerCertificate === undefined) return undefined;
  const certificate = getPeerCertificate.call(socket, true) as DetailedPeerCertificate | undefined;
  if (certificate?.raw === undefined) return undefined;
  const {subject, serialNumber, valid_to} = certificate;
  return {
    commonName: [subject.CN ?? []].flat()[0] ?? '',
    organizations: [subject.O ?? []].flat(),
    serialNumber: serialNumber.toUpperCase(),
    chain: chainOf(certificate),
    notAfterMs: Date.parse(valid_to),
  };
};

const chainOf = (certificate: DetailedPeerCertificate): Buffer[] => {
  const chain: Buffer[] = [];
  for (let at: DetailedPeerCertificate | undefined = certificate; at?.raw !== undefined; at = at.issuerCertificate) {
    chain.push(at.raw);
    if (at.issuerCertificate === at) break; // the CA is its own issuer
  }
  return chain;
};

/** The socket of the connection, whichever protocol it carries. */
const socketOf = (request: HttpRequest): Socket =>
  'stream' in request ? (request.stream.session?.socket ?? request.socket) : request.socket;

export const credentialsOf = (request: HttpRequest): Credentials => {
  const socket = socketOf(request);
  if (!known.has(socket)) known.set(socket, certificateOf(socket));
  return {headers: request.headers, clientCertificate: known.get(socket), remoteAddress: socket.remoteAddress};
};
