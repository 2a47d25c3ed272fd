// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {accountConfigOf} from './account-config.ts';

const faultsOf = (url: string) => accountConfigOf({'service-account-issuer': url}).faults;

test('E-276 the issuer is an https:// URL without query and fragment', () => {
  expect(faultsOf('https://kubernetes.default.svc')).toEqual([]);
  expect(faultsOf('https://palisade.example:6443/team')).toEqual([]);
  for (const url of ['http://a.example', 'a.example', 'https://', 'https://a.example/?x=1', 'https://a.example/#x', ''])
    expect(faultsOf(url)).toEqual([
      `--service-account-issuer ${url}: must be an https:// URL without query (?) and fragment (#)`,
    ]);
});

test('47-2 the issuer of OpenID Connect cannot be that of service accounts', () => {
  const issuer = 'https://palisade.example';
  const of = (oidc: string) => accountConfigOf({'service-account-issuer': issuer}, oidc).faults;
  expect(of('https://issuer.example')).toEqual([]);
  expect(of(issuer)).toEqual([
    `--oidc-issuer-url ${issuer}: is the issuer of service account tokens; use another --service-account-issuer`,
  ]);
});
