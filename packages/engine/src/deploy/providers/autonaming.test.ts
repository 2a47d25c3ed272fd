// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {Autonamer} from './autonaming.ts';

const urn = 'urn:pulumi:dev::p::fake:index:Thing::web';
const seed = Buffer.alloc(32, 7);

describe('pulumi:autonaming', () => {
  test.each([
    [{mode: 'default'}, undefined, false],
    [{mode: 'verbatim'}, {proposedName: 'web', mode: 'enforce'}, true],
    [{mode: 'disabled'}, {proposedName: '', mode: 'disable'}, false],
    [{pattern: `\${project}-\${stack}-\${name}`}, {proposedName: 'p-dev-web', mode: 'propose'}, true],
    [{pattern: `\${organization}.\${name}`, enforce: true}, {proposedName: 'organization.web', mode: 'enforce'}, true],
    [{mode: 'default', providers: {fake: {mode: 'verbatim'}}}, {proposedName: 'web', mode: 'enforce'}, true],
    [{mode: 'verbatim', providers: {other: {mode: 'disabled'}}}, {proposedName: 'web', mode: 'enforce'}, true],
    [
      {providers: {fake: {resources: {'fake:index:Thing': {mode: 'disabled'}}}}},
      {proposedName: '', mode: 'disable'},
      false,
    ],
  ])('%j', (config, autonaming, deleteBeforeReplace) => {
    expect(new Autonamer(config).decide(urn, seed)).toEqual({autonaming, deleteBeforeReplace});
  });

  test('random words come from the seed and have the length that was asked for', () => {
    const pattern = `\${name}-\${hex(5)}-\${alphanum(9)}-\${string(40)}-\${num(3)}-\${uuid}`;
    const decide = (of: Buffer) => new Autonamer({pattern}).decide(urn, of);
    const one = decide(seed);
    expect(one.autonaming?.proposedName).toMatch(
      /^web-[0-9a-f]{5}-[0-9a-z]{9}-[a-z]{40}-\d{3}-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(one.deleteBeforeReplace).toBe(false);
    expect(decide(seed)).toEqual(one);
    expect(decide(Buffer.alloc(32, 8))).not.toEqual(one);
  });

  test.each([
    [{mode: 'random'}, 'mode "random" is not one of'],
    [{mode: 'verbatim', pattern: `\${name}`}, 'either mode or pattern'],
    [{pattern: 'fixed'}, 'pattern must be a string'],
    [{providers: {fake: {mode: 'x'}}}, 'pulumi:autonaming.providers.fake: mode "x"'],
    [{providers: {fake: 'verbatim'}}, 'pulumi:autonaming.providers.fake: expected a map, found "verbatim"'],
    [{providers: []}, 'pulumi:autonaming.providers: expected a map'],
    [{patern: `\${name}`}, 'pulumi:autonaming.patern: there is no such key'],
    [{resources: {}}, 'pulumi:autonaming.resources: there is no such key'],
  ])('%j is refused', (config, reason) => expect(() => new Autonamer(config)).toThrow(reason));

  test('an unknown word is named', () => {
    expect(() => new Autonamer({pattern: `\${nome}`}).decide(urn, seed)).toThrow(`unknown placeholder \${nome}`);
  });
});
