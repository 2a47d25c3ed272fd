// SPDX-License-Identifier: Apache-2.0
import {generateKeyPairSync} from 'node:crypto';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {CommandError} from '../errors.ts';
import {openSigningKey} from './signing-key.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'palisade-key-'));
  file = join(dir, 'pki', 'sa.key');
});
afterEach(() => rmSync(dir, {recursive: true, force: true}));

test('E-276 the first start makes a key for its user alone; later starts find it, and tokens remain valid', async () => {
  const first = await openSigningKey(dir);
  expect([statSync(file).mode & 0o777, statSync(join(dir, 'pki')).mode & 0o777]).toEqual([0o600, 0o700]);
  const text = readFileSync(file, 'utf8');
  expect((await openSigningKey(dir)).id).toBe(first.id);
  expect(readFileSync(file, 'utf8')).toBe(text);
  rmSync(file);
  expect((await openSigningKey(dir)).id).not.toBe(first.id);
});

test.each([
  ['damaged text', '-----BEGIN', 'not a private key in PEM form'],
  [
    'a key of another kind',
    generateKeyPairSync('ec', {namedCurve: 'secp384r1'}).privateKey.export({type: 'pkcs8', format: 'pem'}) as string,
    'not an ECDSA key of the curve P-256',
  ],
])('%s is refused with the way out, and stays', async (_, text, fault) => {
  mkdirSync(join(dir, 'pki'));
  writeFileSync(file, text);
  await expect(openSigningKey(dir)).rejects.toThrow(
    new CommandError(
      `${file}: ${fault}; restore it from a backup, or delete it for a new key, which ends all tokens of service accounts`,
    ),
  );
  expect(readFileSync(file, 'utf8')).toBe(text);
});
