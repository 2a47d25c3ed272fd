// SPDX-License-Identifier: Apache-2.0
import {expect, test} from 'vitest';
import {Exchanges} from './exchanges.ts';

test('49-2 only so many sign-ins ask the issuer at a time; those that failed leave their place', async () => {
  const exchanges = new Exchanges(2);
  const one = Promise.withResolvers<object>();
  const two = Promise.withResolvers<object>();
  const asked = [exchanges.run(() => one.promise), exchanges.run(() => two.promise)];
  let begun = 0;
  const third = async () => {
    begun++;
    return {};
  };
  expect(await exchanges.run(third)).toBeUndefined();
  expect(begun).toBe(0);
  one.reject(new Error('refused'));
  await expect(asked[0]).rejects.toThrow('refused');
  expect(await exchanges.run(third)).toEqual({});
  two.resolve({});
  expect(await asked[1]).toEqual({});
});
