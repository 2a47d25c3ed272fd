// SPDX-License-Identifier: Apache-2.0
/** What sessions hold, in memory alone. */
import type {ClientCertificate} from '@palisade/apiserver';
import type {SessionCredential} from './sessions.ts';

export const bearer = (token: string) => ({headers: {authorization: `Bearer ${token}`}});

export const tokenCredential = (token: string): SessionCredential => ({
  method: 'token',
  shown: () => bearer(token),
  endsMs: () => undefined,
});

/** The certificate that the connection of the sign-in showed; it is judged again like those of connections. */
export const certificateCredential = (clientCertificate: ClientCertificate): SessionCredential => ({
  method: 'certificate',
  shown: () => ({headers: {}, clientCertificate}),
  endsMs: () => clientCertificate.notAfterMs,
});
