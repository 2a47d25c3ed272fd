// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {ClientCertificate} from '../identity/authenticator.ts';
import {certificateAuthenticator} from './certificate-authenticator.ts';

const certificate = (more: Partial<ClientCertificate> = {}): ClientCertificate => ({
  commonName: 'jane',
  organizations: ['soc', 'soc', 'view'],
  serialNumber: '0A',
  chain: [Buffer.from('leaf'), Buffer.from('ca')],
  notAfterMs: 1,
  ...more,
});
const good = certificateAuthenticator(() => undefined, 'spec');

test('47-2 the common name is the user, each organization a group, and the digest of the certificate is in extra', () => {
  expect(good.authenticate({headers: {}, clientCertificate: certificate()})).toEqual({
    outcome: 'user',
    user: {
      name: 'jane',
      groups: ['soc', 'view', 'system:authenticated'],
      extra: {
        // printf leaf | sha256sum
        'authentication.kubernetes.io/credential-id': [
          'X509SHA256=9f91161f43433e49a6de6db680d79f60159f2e4ac9172621a12846428158440b',
        ],
      },
    },
  });
});

test('47-2 a certificate is no sign that the request is not of a page: browsers show it for any site', () => {
  expect(good.authenticate({headers: {}, clientCertificate: certificate()})).not.toHaveProperty('byCredential');
});

test('47-2 no certificate is no credential; one without a common name, or that the handshake refused, is a wrong one', () => {
  expect(good.authenticate({headers: {}})).toEqual({outcome: 'anonymous'});
  expect(good.authenticate({headers: {}, clientCertificate: certificate({commonName: ''})})).toEqual({
    outcome: 'refused',
    reason: 'client certificate not accepted: its subject has no common name',
  });
  expect(good.authenticate({headers: {}, certificateFault: 'CERT_HAS_EXPIRED'})).toEqual({
    outcome: 'refused',
    reason: 'CERT_HAS_EXPIRED',
  });
});

test('47-2 each request is judged: what was good on a connection may be refused later', () => {
  let fault: string | undefined;
  const judged = certificateAuthenticator(() => fault, 'spec');
  const credentials = {headers: {}, clientCertificate: certificate()};
  expect(judged.authenticate(credentials)).toMatchObject({outcome: 'user'});
  fault = 'it is revoked';
  expect(judged.authenticate(credentials)).toEqual({
    outcome: 'refused',
    reason: 'client certificate not accepted: it is revoked',
  });
});

test('47-2 a bearer token counts instead of the certificate of its connection; for upstream the certificate does', () => {
  const upstream = certificateAuthenticator(() => undefined, 'kubernetes');
  const credentials = {headers: {authorization: 'Bearer x'}, clientCertificate: certificate()};
  expect(good.authenticate(credentials)).toEqual({outcome: 'anonymous'});
  expect(upstream.authenticate(credentials)).toMatchObject({outcome: 'user', user: {name: 'jane'}});
  for (const authorization of ['Basic x', 'Bearer', '', 'bearer  '])
    expect(good.authenticate({...credentials, headers: {authorization}})).toMatchObject({outcome: 'user'});
});
