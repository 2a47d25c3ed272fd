// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {decodeContinueToken, encodeContinueToken, keyBehind} from './continue-token.ts';

test('a position survives its token', () => {
  fc.assert(
    fc.property(
      fc.option(fc.bigInt({min: 1n, max: 2n ** 52n}), {nil: undefined}),
      fc.stringMatching(/^([a-z0-9-]{1,20}\/)?[a-z0-9"\\-]{1,20}$/),
      (revision, key) => {
        const position = {revision, from: keyBehind(key)};
        expect(decodeContinueToken(encodeContinueToken(position))).toEqual(position);
      },
    ),
  );
});

test('line breaks in a token are passed over', () => {
  const token = encodeContinueToken({revision: 3n, from: 'a'});
  const broken = `\r\n${token.slice(0, 5)}\n${token.slice(5)}\n`;
  expect(decodeContinueToken(broken)).toEqual({revision: 3n, from: 'a'});
});

test('fields that a token does not have count for nothing', () => {
  const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":3,"start":"a","constructor":"b","__proto__":1}').toString(
    'base64url',
  );
  expect(decodeContinueToken(token)).toEqual({revision: 3n, from: 'a'});
});

test('any text is answered with a fault or a position, never with an exception', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.base64String(),
        fc.json().map(text => Buffer.from(text).toString('base64url')),
      ),
      token => {
        const result = decodeContinueToken(token);
        expect('fault' in result ? typeof result.fault : typeof result.from).toBe('string');
      },
    ),
  );
});

test.each([
  {token: 'x', fault: 'continue key is not valid: illegal base64 data at input byte 0'},
  {token: 'abcde\r\n', fault: 'continue key is not valid: illegal base64 data at input byte 6'},
  {token: 'ab*c', fault: 'continue key is not valid: illegal base64 data at input byte 2'},
  {
    token: Buffer.from('{"v":"v9"}').toString('base64url'),
    fault: 'continue key is not valid: server does not recognize this encoded version v9',
  },
  {
    token: Buffer.from('{"v":"meta.k8s.io/v1","start":"a"}').toString('base64url'),
    fault: 'continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
  },
  {
    token: Buffer.from('{"v":"meta.k8s.io/v1","rv":3}').toString('base64url'),
    fault: 'continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
  },
  ...['../a', '/../a', 'a/', 'a//b', './a'].map(start => ({
    token: Buffer.from(JSON.stringify({v: 'meta.k8s.io/v1', rv: 3, start})).toString('base64url'),
    fault: `continue key is not valid: ${start}`,
  })),
  {
    token: Buffer.from('[]').toString('base64url'),
    fault: 'continue key is not valid: json: cannot unmarshal array into Go value of type storage.continueToken',
  },
  {
    token: Buffer.from('{"v":9007199254740993}').toString('base64url'),
    fault:
      'continue key is not valid: json: cannot unmarshal number into Go struct field continueToken.v of type string',
  },
  {
    token: Buffer.from('{"v":"meta.k8s.io/v1","RV":"3"}').toString('base64url'),
    fault:
      'continue key is not valid: json: cannot unmarshal string into Go struct field continueToken.rv of type int64',
  },
  {
    token: Buffer.from('{"v":"meta.k8s.io/v1","rv":1.5}').toString('base64url'),
    fault:
      'continue key is not valid: json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64',
  },
])('$token: $fault', ({token, fault}) => {
  expect(decodeContinueToken(token)).toEqual({fault});
});
