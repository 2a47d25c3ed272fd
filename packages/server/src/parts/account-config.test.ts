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
