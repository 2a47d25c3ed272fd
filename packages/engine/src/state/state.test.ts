// SPDX-License-Identifier: Apache-2.0
import {Secret} from '@palisade/provider';
import {describe, expect, test} from 'vitest';
import {realSystem} from '../system.ts';
import {deploymentToJson, manifestAt, readDeployment, saltOf, sealNothing, sealWith} from './deployment-file.ts';
import {integrityFaults} from './integrity.ts';
import {renameUrn} from './rename.ts';
import {makeStackRenamer} from './rename-stack.ts';
import {stateFromJson, stateToJson} from './resource-json.ts';
import {emptyState} from './resource-state.ts';
import {decryptText, SecretsError, SecretsManager} from './secrets.ts';
import {isDefaultProvider, makeUrn, parseReference, parseUrn, renameReference} from './urn.ts';

const {random} = realSystem();
const manager = (state: string | undefined, passphrase: string | undefined): SecretsManager =>
  new SecretsManager({state, passphrase: () => passphrase, random});

describe('URNs', () => {
  const stack = makeUrn({stack: 'dev', project: 'p', parent: '', type: 'pulumi:pulumi:Stack', name: 'p-dev'});

  test('the stack does not stand in the chain of parent types, components do', () => {
    const component = makeUrn({stack: 'dev', project: 'p', parent: stack, type: 'a:b:C', name: 'c'});
    const child = makeUrn({stack: 'dev', project: 'p', parent: component, type: 'd:e:F', name: 'x::y'});
    expect(component).toBe('urn:pulumi:dev::p::a:b:C::c');
    expect(child).toBe('urn:pulumi:dev::p::a:b:C$d:e:F::x::y');
    expect(parseUrn(child)).toEqual({
      stack: 'dev',
      project: 'p',
      qualifiedType: 'a:b:C$d:e:F',
      type: 'd:e:F',
      name: 'x::y',
    });
  });

  test.each(['', 'urn:pulumi:dev', 'urn:pulumi:dev::p::t', 'dev::p::t::n'])('%j is none', text => {
    expect(() => parseUrn(text)).toThrow('not a URN');
  });

  test('provider references end with the id', () => {
    const urn = 'urn:pulumi:dev::p::pulumi:providers:fake::east';
    expect(parseReference(`${urn}::1-2`)).toEqual({urn, id: '1-2'});
    expect(() => parseReference('urn:pulumi:dev::p::a:b:C::x::1')).toThrow('not a provider reference');
    expect(renameReference(`${urn}::1-2`, urn, `${urn}2`)).toBe(`${urn}2::1-2`);
    expect(renameReference('urn:pulumi:dev::p::t:t:t::eastern', 'urn:pulumi:dev::p::t:t:t::east', 'x')).toBe(
      'urn:pulumi:dev::p::t:t:t::eastern',
    );
  });

  test('default providers are known by their names', () => {
    expect(isDefaultProvider('urn:pulumi:dev::p::pulumi:providers:fake::default_0_1_0')).toBe(true);
    expect(isDefaultProvider('urn:pulumi:dev::p::pulumi:providers:fake::east')).toBe(false);
    expect(isDefaultProvider('urn:pulumi:dev::p::fake:index:Thing::default')).toBe(false);
  });
});

describe('secrets', () => {
  // Written by the Pulumi CLI 3.260 for the passphrase below.
  const SALT = 'v1:QwNfiXU6alc=:v1:cotGkFNrBanixBRD:ZtGGTELpLVWhF71QisnQI0E4V87m7A==';
  const SEALED = 'v1:ChQq8ntsUTDCcMW/:wtXDxZbxUoAiUmColpwYpREM1YvglkQFjuhYLA==';

  test('what the Pulumi CLI encrypted is read with the same passphrase', async () => {
    const secrets = manager(SALT, 'corréct horse');
    await secrets.unlock();
    expect(secrets.decrypt(SEALED)).toBe('päss "word"');
  });

  test('a wrong passphrase is said to be wrong, a missing one names the variables', async () => {
    await expect(manager(SALT, 'wrong').unlock()).rejects.toThrow('incorrect passphrase');
    await expect(manager(SALT, undefined).unlock()).rejects.toThrow('PULUMI_CONFIG_PASSPHRASE');
  });

  test('a new salt proves its own passphrase; every ciphertext differs', async () => {
    const secrets = manager(undefined, 'x');
    await secrets.unlock();
    const [one, two] = [secrets.encrypt('same'), secrets.encrypt('same')];
    expect(one).not.toBe(two);
    const again = manager(secrets.state, 'x');
    await again.unlock();
    expect([again.decrypt(one), again.decrypt(two)]).toEqual(['same', 'same']);
    expect(() => again.decrypt(`${one.slice(0, -6)}AAAA==`)).toThrow(SecretsError);
    expect(() => decryptText(Buffer.alloc(32), 'nonsense')).toThrow('unknown format');
  });
});

describe('resources as JSON', () => {
  const json = {
    urn: 'urn:pulumi:dev::p::fake:index:Thing::a',
    custom: true,
    id: 'i',
    type: 'fake:index:Thing',
    inputs: {a: 1, b: {c: [true, null, 'x']}},
    outputs: {a: 1},
    parent: 'urn:pulumi:dev::p::pulumi:pulumi:Stack::p-dev',
    protect: true,
    taint: true,
    dependencies: ['urn:pulumi:dev::p::fake:index:Thing::z'],
    provider: 'urn:pulumi:dev::p::pulumi:providers:fake::default::1',
    propertyDependencies: {a: [], b: ['urn:pulumi:dev::p::fake:index:Thing::z']},
    customTimeouts: {create: 90},
    created: '2026-01-01T00:00:00Z',
    stackTrace: [{sourcePosition: 'project:///x#1'}, {}],
    hideDiff: [['a']],
    fromTheFuture: {deep: 1},
  };

  test('come back as they were, members that are not known included, in the order of the CLI', () => {
    const back = stateToJson(
      stateFromJson(json, text => text),
      sealNothing,
    );
    expect(back).toEqual(json);
    expect(Object.keys(back)).toEqual(Object.keys(json));
  });

  test('empty members are left out, keys of properties are sorted', () => {
    const state = {...emptyState('urn:pulumi:s::p::t:t:t::n', 't:t:t'), inputs: {b: 1, a: 2}};
    expect(JSON.stringify(stateToJson(state, sealNothing))).toBe(
      '{"urn":"urn:pulumi:s::p::t:t:t::n","custom":false,"type":"t:t:t","inputs":{"a":2,"b":1}}',
    );
  });

  test('a resource without urn or type is refused', () => {
    expect(() => stateFromJson({type: 'x'}, text => text)).toThrow('no urn');
  });
});

describe('deployments', () => {
  const at = '2026-01-01T00:00:00Z';
  const provider = 'urn:pulumi:s::p::pulumi:providers:fake::default';

  test('secrets are sealed, and opened again; nothing is readable', async () => {
    const secrets = manager(undefined, 'x');
    await secrets.unlock();
    const state = {
      ...emptyState('urn:pulumi:s::p::t:t:t::n', 't:t:t'),
      inputs: {deep: [new Secret({k: 'hidden-word'})]},
    };
    const deployment = {
      resources: [state],
      pendingOperations: [{resource: state, type: 'creating' as const}],
      extra: {snippets: []},
    };
    const json = deploymentToJson(deployment, {time: at, salt: secrets.state, seal: sealWith(secrets)});
    expect(JSON.stringify(json)).not.toContain('hidden-word');
    expect(saltOf(json)).toBe(secrets.state);
    const back = await readDeployment(JSON.parse(JSON.stringify(json)), manager(secrets.state, 'x'));
    expect(back.resources[0]?.inputs).toEqual({deep: [new Secret({k: 'hidden-word'})]});
    expect(back.pendingOperations[0]?.type).toBe('creating');
    expect(back.extra).toEqual({metadata: {}, snippets: []});
  });

  test('no key is derived while nothing is secret', async () => {
    const secrets = manager('v1:broken', undefined);
    await readDeployment(
      {manifest: manifestAt(at), resources: [{urn: 'urn:pulumi:s::p::t:t:t::n', type: 't:t:t'}]},
      secrets,
    );
    expect(secrets.isUnlocked).toBe(false);
  });

  test('a wrong magic and a foreign secrets provider are refused', async () => {
    const secrets = manager(undefined, 'x');
    await expect(readDeployment({manifest: {...manifestAt(at), magic: 'x'}}, secrets)).rejects.toThrow(
      'magic cookie mismatch',
    );
    expect(() => saltOf({secrets_providers: {type: 'service', state: {}}})).toThrow('"service"');
  });

  test('integrity: order, missing parents, unknown providers, duplicates', () => {
    const base = {...emptyState(provider, 'pulumi:providers:fake'), custom: true, id: '1'};
    const thing = (name: string, change: object) => ({
      ...emptyState(`urn:pulumi:s::p::fake:index:Thing::${name}`, 'fake:index:Thing'),
      custom: true,
      provider: `${provider}::1`,
      ...change,
    });
    const a = thing('a', {});
    const b = thing('b', {dependencies: [a.urn]});
    expect(integrityFaults([base, a, b])).toEqual([]);
    expect(integrityFaults([base, {...a, delete: true}, a, b])).toEqual([]);
    expect(integrityFaults([base, b, a])).toEqual([`resource ${b.urn}'s dependency ${a.urn} comes after it`]);
    expect(integrityFaults([base, b])).toEqual([`resource ${b.urn}'s dependency ${a.urn} is missing`]);
    expect(integrityFaults([a])).toEqual([`resource ${a.urn} refers to unknown provider ${provider}`]);
    expect(integrityFaults([base, a, {...a}])).toEqual([`duplicate resource ${a.urn}`]);
    expect(integrityFaults([base, {...a, provider: ''}])).toEqual([`resource ${a.urn} has no provider`]);
  });
});

describe('renaming', () => {
  const provider = 'urn:pulumi:s::p::pulumi:providers:fake::east';
  const state = () => ({
    ...emptyState('urn:pulumi:s::p::t:t:t::n', 't:t:t'),
    parent: 'urn:pulumi:s::p::t:t:G::g',
    dependencies: ['urn:pulumi:s::p::t:t:t::m'],
    propertyDependencies: {a: ['urn:pulumi:s::p::t:t:t::m']},
    provider: `${provider}::1`,
    deletedWith: 'urn:pulumi:s::p::t:t:t::m',
  });

  test('an aliased URN is replaced in every place', () => {
    const renamed = state();
    expect(renameUrn(renamed, 'urn:pulumi:s::p::t:t:t::m', 'NEW')).toBe(true);
    expect(renameUrn(renamed, provider, `${provider}er`)).toBe(true);
    expect(JSON.stringify(renamed)).not.toContain('::m"');
    expect(renamed.provider).toBe(`${provider}er::1`);
    expect(renameUrn(renamed, 'urn:pulumi:s::p::t:t:t::other', 'x')).toBe(false);
  });

  test('a renamed stack has its name in every URN, and in the name of the root', () => {
    const root = emptyState('urn:pulumi:s::p::pulumi:pulumi:Stack::p-s', 'pulumi:pulumi:Stack');
    const child = state();
    for (const each of [root, child]) makeStackRenamer({project: 'p', name: 's'}, {project: 'p', name: 'prod'})(each);
    expect(root.urn).toBe('urn:pulumi:prod::p::pulumi:pulumi:Stack::p-prod');
    expect(JSON.stringify(child)).not.toContain('urn:pulumi:s::');
  });
});
