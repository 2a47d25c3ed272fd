// SPDX-License-Identifier: Apache-2.0
/** The credentials of a request, read alike for both APIs. */
import type {Socket} from 'node:net';
import type {DetailedPeerCertificate, TLSSocket} from 'node:tls';
import type {ClientCertificate, Credentials} from '../identity/authenticator.ts';
import type {HttpRequest} from './exchange.ts';

type Shown = Pick<Credentials, 'clientCertificate' | 'certificateFault'>;
/** A socket that has ended has no address and no port: those that the first request saw are kept. */
type Seen = Shown & Pick<Credentials, 'remoteAddress' | 'arrival'>;

/** Of connections that were asked about, and of their requests; a handshake does not change later. */
const known = new WeakMap<object, Seen>();

const NOTHING: Shown = {};

const shownOn = (socket: Socket): Shown => {
  const {authorized, authorizationError, getPeerCertificate} = socket as Partial<TLSSocket>;
  if (getPeerCertificate === undefined) return NOTHING;
  const certificate = getPeerCertificate.call(socket, true) as DetailedPeerCertificate | undefined;
  if (certificate?.raw === undefined) return NOTHING;
  if (authorized !== true) return {certificateFault: `client certificate not accepted: ${authorizationError}`};
  const {subject, serialNumber} = certificate;
  return {
    clientCertificate: {
      commonName: [subject.CN ?? []].flat().at(-1) ?? '', // the last one, as Go takes it
      organizations: [subject.O ?? []].flat(),
      serialNumber: serialNumber.toUpperCase(),
      ...chainOf(certificate),
    },
  };
};

const chainOf = (certificate: DetailedPeerCertificate): Pick<ClientCertificate, 'chain' | 'notAfterMs'> => {
  const chain: Buffer[] = [];
  let notAfterMs = Number.POSITIVE_INFINITY;
  for (let at: DetailedPeerCertificate | undefined = certificate; at?.raw !== undefined; at = at.issuerCertificate) {
    chain.push(at.raw);
    notAfterMs = Math.min(notAfterMs, Date.parse(at.valid_to));
    if (at.issuerCertificate === at) break; // the CA is its own issuer
  }
  return {chain, notAfterMs};
};

/** The socket of the connection, whichever protocol it carries. */
const socketOf = (request: HttpRequest): Socket =>
  'stream' in request ? (request.stream.session?.socket ?? request.socket) : request.socket;

export const credentialsOf = (request: HttpRequest): Credentials => {
  let shown = known.get(request);
  if (shown === undefined) {
    const socket = socketOf(request);
    shown = known.get(socket) ?? {
      ...shownOn(socket),
      remoteAddress: socket.remoteAddress,
      arrival: {port: socket.localPort ?? 0, isSecure: (socket as Partial<TLSSocket>).encrypted === true},
    };
    known.set(socket, shown).set(request, shown);
  }
  return {headers: request.headers, ...shown};
};
