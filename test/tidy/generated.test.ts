// SPDX-License-Identifier: Apache-2.0
/** What is generated equals what its source gives now. Ref: requirements X-004. (The SDKs and schemas: packages/provider.) */
import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {generateKubeOpenApi, generateKubeTypes} from '../../tools/gen-kube.ts';
import {generatePlatformTypes} from '../../tools/gen-platform-types.ts';
import {REFERENCES} from '../../tools/gen-reference.ts';

test.each(Object.entries(REFERENCES))('X-004 %s is up to date', (path, make) => {
  expect(readFileSync(path, 'utf8')).toBe(make());
});

test('X-004 the Kubernetes type tables equal what schemas/kubernetes gives', () => {
  expect(readFileSync('packages/kube-wire/src/gen/kube-types.ts', 'utf8')).toBe(generateKubeTypes());
  expect(readFileSync('packages/kube-wire/src/gen/kube-openapi.ts', 'utf8')).toBe(generateKubeOpenApi());
});

test('X-004 46-5 the types that package platform takes from kinds equal their structs (else: make gen)', () => {
  expect(readFileSync('packages/provider/src/gen/platform-types.ts', 'utf8')).toBe(generatePlatformTypes());
});
