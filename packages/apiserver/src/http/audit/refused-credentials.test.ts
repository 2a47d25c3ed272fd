// SPDX-License-Identifier: Apache-2.0
/** A credential that is refused is named in its event, where that is no secret. */
import {createHash} from 'node:crypto';
import {expect, test} from 'vitest';
import {recordingAuditor} from '../../testing/index.ts';
import {AuditTrail} from './audit-trail.ts';

const attributes = {
  ...{verb: 'get', resourceRequest: false, path: '/x', group: '', version: '', resource: ''},
  ...{subresource: '', namespace: '', name: ''},
};

const refusedWith = (socket: object, reason: string | undefined) => {
  const auditor = recordingAuditor({rules: []}, () => false);
  const request = {method: 'GET', url: '/x', headers: {}, rawHeaders: [], socket};
  const trail = new AuditTrail(auditor, {request, response: {}, auditId: 'a'} as never);
  trail.unauthenticated(attributes, reason);
  trail.failed({code: 401});
  trail.completed(() => attributes);
  return auditor.events.at(-1);
};

test('a certificate that no longer counts is named, with the reason', () => {
  const raw = Buffer.from('a certificate');
  const shown = {raw, subject: {CN: 'jane'}, serialNumber: 'ab', valid_to: 'Jan 1 00:00:00 2030 GMT'};
  const socket = {remoteAddress: '10.0.0.7', authorized: true, getPeerCertificate: () => shown};
  expect(refusedWith(socket, 'client certificate not accepted: revoked')).toMatchObject({
    sourceIPs: ['10.0.0.7'],
    annotations: {
      'palisade.io/credential': `X509SHA256=${createHash('sha256').update(raw).digest('hex')}, CN=jane`,
      'palisade.io/credential-refused': 'client certificate not accepted: revoked',
    },
  });
});

test('of another credential the reason is named, where there is one', () => {
  expect(refusedWith({}, 'access token eve-1 expired')?.annotations).toEqual({
    'palisade.io/credential-refused': 'access token eve-1 expired',
  });
  expect(refusedWith({}, undefined)).not.toHaveProperty('annotations');
});
