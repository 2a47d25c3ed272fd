// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import type {ClientCertificate} from '../identity/authenticator.ts';

/** How logs name a certificate. Ref: kubernetes v1.36 apiserver/pkg/authentication/request/x509/x509.go. */
export const certificateId = ({chain: [leaf = Buffer.alloc(0)]}: ClientCertificate): string =>
  `X509SHA256=${createHash('sha256').update(leaf).digest('hex')}`;
