// SPDX-License-Identifier: Apache-2.0
import type {Credentials} from '@palisade/apiserver';

/** Kubernetes' way for a browser to show a token with a WebSocket. */
const TOKEN_PROTOCOL = /(^|[,\s])base64url\.bearer\.authorization\.k8s\.io\./;

const authorizationIn = (headers: Credentials['headers']): string =>
  [headers['authorization'] ?? ''].flat().join('').trim();

const showsTokenProtocol = (headers: Credentials['headers']): boolean =>
  TOKEN_PROTOCOL.test([headers['sec-websocket-protocol'] ?? ''].flat().join(','));

/** A credential that a browser adds to no request by itself. It counts before the cookie. */
export const showsOwnCredential = (headers: Credentials['headers']): boolean =>
  authorizationIn(headers) !== '' || showsTokenProtocol(headers);

/**
 * The request does what its token may, whichever page sent it. A page of any site can name a token as a protocol without asking, and the
 * client certificate of the connection counts before that; an Authorization header it can send only where the server allows it (CORS).
 */
export const actsByToken = ({headers, ...shown}: Pick<Credentials, 'headers' | 'clientCertificate'>): boolean =>
  /^bearer\s/i.test(authorizationIn(headers)) || (showsTokenProtocol(headers) && shown.clientCertificate === undefined);
