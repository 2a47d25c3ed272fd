// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {oidcLink} from './oidc-link.ts';

const LOGIN = '/console/oidc/login';
const back = (place: string): string | null => {
  const {pathname, search, hash} = new URL(place, 'https://console.example');
  const link = new URL(oidcLink(LOGIN, {pathname, search, hash}), 'https://console.example');
  expect(link.pathname).toBe(LOGIN);
  return link.searchParams.get('return');
};

test.each(['/console/threats?q=a%26b%3D%22c%22&range=all', '/console/rules?rule=projects%2Fp%40x#top'])(
  '49-2 the sign-in at an issuer leads back to %s',
  place => expect(back(place)).toBe(place),
);

test.each(['/console/', '/', '/elsewhere', '/consoles/x'])('49-2 and from %s to the start page', place =>
  expect(back(place)).toBeNull(),
);
