// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {certificateText} from './certificate-text.ts';

test('49-2 without a client certificate the sign-in says how to use one, where the server asks for one', () => {
  const none = {token: true, certificate: false, certificateAsked: true};
  expect(certificateText(none)).toMatch(/^This connection showed no client certificate\. To sign in with one, import/);
  expect(certificateText(none)).toContain('docs/guides/console.md');
  const certificateFault = 'client certificate not accepted: CERT_HAS_EXPIRED';
  expect(certificateText({...none, certificateFault})).toMatch(
    /^Client certificate not accepted: CERT_HAS_EXPIRED\. To use another one, import/,
  );
  expect(certificateText({...none, certificate: true})).toBeUndefined();
  expect(certificateText({...none, certificateAsked: false})).toBeUndefined();
  expect(certificateText({token: true, certificate: false})).toBeUndefined();
});
