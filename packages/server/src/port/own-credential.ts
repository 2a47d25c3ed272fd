// SPDX-License-Identifier: Apache-2.0
import type {Credentials} from '@palisade/apiserver';

/** Kubernetes' way for a browser to show a token with a WebSocket. */
const TOKEN_PROTOCOL = /(^|[,\s])base64url\.bearer\.authorization\.k8s\.io\./;

/** A credential that a browser adds to no request by itself. It counts before the cookie. */
export const showsOwnCredential = (headers: Credentials['headers']): boolean =>
  [headers['authorization'] ?? ''].flat().join('').trim() !== '' ||
  TOKEN_PROTOCOL.test([headers['sec-websocket-protocol'] ?? ''].flat().join(','));
