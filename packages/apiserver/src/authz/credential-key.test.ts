// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import type {ClientCertificate} from '../identity/authenticator.ts';
import {credentialKey} from './credential-key.ts';

const SENT = [
  'Host',
  'a.example',
  'Authorization',
  'Bearer secret',
  'User-Agent',
  'kubectl',
  'Accept',
  'application/json',
];
const certificate = (der: string): ClientCertificate => ({
  commonName: 'jane',
  organizations: [],
  serialNumber: '01',
  chain: [Buffer.from(der), Buffer.from('ca')],
  notAfterMs: 0,
});

test.each<[string, string[]]>([
  [
    'what the client calls itself',
    ['host', 'a.example', 'authorization', 'Bearer secret', 'user-agent', 'other', 'accept', '*/*'],
  ],
  [
    'what changes with each request',
    [...SENT, 'Audit-Id', '1', 'traceparent', '00-1', 'Sec-WebSocket-Key', 'x', ':path', '/a'],
  ],
])('%s makes no difference', (_what, rawHeaders) => {
  expect(credentialKey({rawHeaders})).toBe(credentialKey({rawHeaders: SENT}));
});

test.each<[string, Parameters<typeof credentialKey>[0]]>([
  ['another token', {rawHeaders: SENT.map(text => text.replace('secret', 'secret2'))}],
  ['no token', {rawHeaders: SENT.filter(text => !/secret|Authorization/.test(text))}],
  ['a further token', {rawHeaders: [...SENT, 'Authorization', 'Bearer other']}],
  ['another user to act as', {rawHeaders: [...SENT, 'Impersonate-User', 'bob']}],
  ['a header that another authenticator may look at', {rawHeaders: [...SENT, 'X-Remote-User', 'bob']}],
  ['a token in the protocols of a WebSocket', {rawHeaders: [...SENT, 'Sec-WebSocket-Protocol', 'base64url.bearer.x']}],
  ['a certificate', {rawHeaders: SENT, clientCertificate: certificate('one')}],
])('%s makes a difference', (_what, shown) => {
  expect(credentialKey(shown)).not.toBe(credentialKey({rawHeaders: SENT}));
});

test('two certificates differ, also if they say the same; no key shows a secret', () => {
  const [one, two] = ['one', 'two'].map(der => credentialKey({rawHeaders: SENT, clientCertificate: certificate(der)}));
  expect(one).not.toBe(two);
  expect(one).toMatch(/^[\w+/]{43}=$/);
});
