// SPDX-License-Identifier: Apache-2.0
import {type FakeKubeServer, startFakeKubeServer, startJsonServer} from '@palisade/client/testing';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {testHost, urnOf} from '../testing/test-host.ts';
import {type PropertyMap, Secret, UNKNOWN} from '../value.ts';
import {createPlatformProvider} from './platform-provider.ts';

const urn = urnOf('platform:core/v1:Endpoints', 'web');
let first: FakeKubeServer;
let second: FakeKubeServer;
beforeEach(async () => {
  [first, second] = await Promise.all([startFakeKubeServer(), startFakeKubeServer()]);
});
afterEach(async () => {
  await Promise.all([first[Symbol.asyncDispose](), second[Symbol.asyncDispose]()]);
});

const kubeconfig = (server: string, token = 'file-token') =>
  `current-context: main
clusters: [{name: c, cluster: {server: "${server}"}}, {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: main, context: {cluster: c, user: u}}, {name: other, context: {cluster: nowhere, user: u}}]
users: [{name: u, user: {token: ${token}}}]
`;

/** Creates one object; says on which server it ended up, and with which credential. */
async function target(config: PropertyMap, env: Record<string, string> = {}, files: Record<string, string> = {}) {
  const provider = createPlatformProvider(testHost(env, files));
  await provider.configure({inputs: config});
  await provider.create({urn, news: {metadata: {name: 'web'}}});
  const server = first.objects.size > 0 ? 'first' : 'second';
  const request = (server === 'first' ? first : second).requests.at(-1);
  return `${server} ${request?.headers.authorization ?? 'nobody'}`;
}

describe('where the API server is', () => {
  test('a kubeconfig inline or by path, with its credential; a token of its own goes before', async () => {
    expect(await target({kubeconfig: new Secret(kubeconfig(first.url))})).toBe('first Bearer file-token');
    const files = {'/home/u/config': kubeconfig(second.url)};
    first.objects.clear();
    expect(await target({kubeconfig: '~/config', token: new Secret('own')}, {HOME: '/home/u'}, files)).toBe(
      'second Bearer own',
    );
  });

  test('PALISADE_TOKEN is used only without a kubeconfig: not before the credential of one, nor for one without', async () => {
    const anonymous = kubeconfig(first.url, '""');
    const env = {HOME: '/home/u', PALISADE_TOKEN: 'environment'};
    const files = {'/k': kubeconfig(first.url), '/home/u/.kube/config': kubeconfig(first.url), '/none': anonymous};
    const outcomes = async (config: PropertyMap, more: Record<string, string> = {}): Promise<string> => {
      first.objects.clear();
      return target(config, {...env, ...more}, files);
    };
    expect(await outcomes({kubeconfig: '/k'})).toBe('first Bearer file-token');
    expect(await outcomes({}, {KUBECONFIG: '/k'})).toBe('first Bearer file-token');
    expect(await outcomes({context: 'main'})).toBe('first Bearer file-token');
    expect(await outcomes({}, {KUBECONFIG: '/none'})).toBe('first nobody');
    expect(await outcomes({token: 'own'}, {KUBECONFIG: '/k'})).toBe('first Bearer own');
    expect(await outcomes({server: first.url}, {KUBECONFIG: '/k'})).toBe('first Bearer environment');
  });

  test('the configuration goes before the environment, PALISADE_SERVER before KUBECONFIG', async () => {
    const files = {'/k': kubeconfig(second.url)};
    expect(await target({server: first.url}, {PALISADE_SERVER: second.url, KUBECONFIG: '/k'}, files)).toBe(
      'first nobody',
    );
    first.objects.clear();
    const both = {PALISADE_SERVER: `${first.url}/`, PALISADE_TOKEN: 't', KUBECONFIG: '/k'};
    expect(await target({}, both, files)).toBe('first Bearer t');
  });

  test('KUBECONFIG may name several files; a context is looked up in them, then in the home folder', async () => {
    const files = {
      '/a': 'current-context: main\n',
      '/k': kubeconfig(first.url),
      '/home/u/.kube/config': kubeconfig(second.url),
    };
    expect(await target({}, {KUBECONFIG: '/a:/k'}, files)).toBe('first Bearer file-token');
    first.objects.clear();
    const env = {HOME: '/home/u', PALISADE_SERVER: first.url};
    expect(await target({context: 'main'}, env, files)).toBe('second Bearer file-token');
  });

  test('a token stands for whatever the kubeconfig signs in with, so none of that is read', async () => {
    const config = kubeconfig(first.url).replace(
      'user: {token: file-token}',
      'user: {exec: {command: login}, as: bob}',
    );
    expect(await target({kubeconfig: config, token: 'own'})).toBe('first Bearer own');
    expect(first.requests.at(-1)?.headers).toMatchObject({'impersonate-user': 'bob'});
  });

  test('a refusal for want of a credential names the ways to give one', async () => {
    await using refusing = await startJsonServer(() => ({
      status: 401,
      body: {kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', message: 'Unauthorized'},
    }));
    await expect(target({kubeconfig: kubeconfig(refusing.url)}, {PALISADE_TOKEN: 't'})).rejects.toMatchObject({
      code: 'unauthenticated',
      message: expect.stringMatching(/Unauthorized; give .*platform:token, or .*PALISADE_TOKEN where no kubeconfig is/),
    });
  });

  test('nowhere: the message says how to name one; a preview does without', async () => {
    const provider = createPlatformProvider(testHost());
    await provider.configure({inputs: {}});
    const news = {metadata: {name: 'web'}};
    expect((await provider.create({urn, news, preview: true})).id).toBe('');
    await expect(provider.create({urn, news})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: expect.stringMatching(/platform:kubeconfig.*PALISADE_SERVER or KUBECONFIG/),
    });
  });

  test('an address that is known only later is said to be so', async () => {
    const provider = createPlatformProvider(testHost({PALISADE_SERVER: first.url}));
    await provider.configure({inputs: {kubeconfig: UNKNOWN}});
    await expect(provider.create({urn, news: {metadata: {name: 'web'}}})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: expect.stringContaining('platform:kubeconfig is not known yet'),
    });
  });
});

describe('checkConfig', () => {
  const faults = async (news: PropertyMap, files: Record<string, string> = {}, env: Record<string, string> = {}) => {
    const {failures} = await createPlatformProvider(testHost(env, files)).checkConfig({urn: 'u', olds: {}, news});
    return failures.map(({property, reason}) => `${property}: ${reason}`);
  };

  test.each<[string, PropertyMap, RegExp]>([
    ['no address', {server: 'localhost'}, /^server: invalid value "localhost"/],
    ['two targets', {server: 'http://h', kubeconfig: '/k'}, /^server: server and kubeconfig exclude each other/],
    ['a missing file', {kubeconfig: '/none'}, /^kubeconfig: the kubeconfig \/none cannot be read/],
    ['an unknown context', {kubeconfig: '/k', context: 'x'}, /^kubeconfig: .*no context named "x"/],
    ['broken content', {kubeconfig: 'a: [\n'}, /^kubeconfig: the kubeconfig is not YAML/],
    ['an unknown name', {kubeConfig: '/k'}, /^kubeConfig: unknown property; did you mean kubeconfig/],
    ['another type', {context: 1}, /^context: expected a string/],
  ])('%s is refused', async (_name, news, expected) => {
    const found = await faults(news, {'/k': kubeconfig('http://h')});
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('unknowns, versions and a good kubeconfig are fine', async () => {
    const files = {'/k': kubeconfig('http://h')};
    expect(await faults({version: '0.1.0', kubeconfig: '/k', context: 'other'}, files)).toEqual([]);
    expect(await faults({kubeconfig: UNKNOWN, context: UNKNOWN})).toEqual([]);
  });

  test.each<[string, PropertyMap, Record<string, string>, RegExp]>([
    ['a server', {}, {PALISADE_SERVER: 'foo'}, /^: PALISADE_SERVER in the environment: invalid value "foo": expected /],
    ['a broken file', {}, {KUBECONFIG: '/bad'}, /^: KUBECONFIG in the environment: the kubeconfig \/bad is not YAML/],
    ['one beside a file to come', {}, {KUBECONFIG: '/none:/bad'}, /^: KUBECONFIG .* \/bad is not YAML/],
    ['a context', {context: 'x'}, {KUBECONFIG: '/k', PALISADE_SERVER: 'foo'}, /^context: .*no context named "x"/],
    ['no home folder', {context: 'x'}, {}, /^context: no API server is configured/],
  ])('of the environment what would be used is refused as well: %s', async (_name, news, env, expected) => {
    const found = await faults(news, {'/k': kubeconfig('http://h'), '/bad': 'a: [\n'}, env);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('a kubeconfig of the environment that is not there is no fault yet: the program may write it', async () => {
    const files = {'/empty': 'kind: Config\n', '/k': kubeconfig('http://h')};
    for (const [news, env] of [
      [{}, {KUBECONFIG: '/none'}],
      [{}, {KUBECONFIG: '/empty:/none'}],
      [{context: 'x'}, {KUBECONFIG: '/k:/none'}],
      [{context: 'x'}, {HOME: '/home/u'}],
    ] as const)
      expect(await faults(news, files, env)).toEqual([]);
    expect(await faults({kubeconfig: '/none'})).toHaveLength(1);
  });

  test('it is looked for when it is used, and named with the variable while it is not there', async () => {
    const files: Record<string, string> = {};
    const provider = createPlatformProvider(testHost({KUBECONFIG: '/written'}, files));
    await provider.configure({inputs: {}});
    const news = {metadata: {name: 'web'}};
    await expect(provider.create({urn, news})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: expect.stringMatching(
        /KUBECONFIG in the environment: the kubeconfig \/written .*: there is no such file/,
      ),
    });
    files['/written'] = kubeconfig(first.url);
    expect((await provider.create({urn, news})).id).toBe('default/web');
  });

  test('of the environment what is not used, or not yet known to be, is not judged', async () => {
    const env = {PALISADE_SERVER: 'foo', KUBECONFIG: '/none'};
    for (const news of [{server: 'http://h'}, {server: UNKNOWN}, {kubeconfig: UNKNOWN}, {context: UNKNOWN}])
      expect(await faults(news, {}, env)).toEqual([]);
    expect(await faults({}, {}, {PALISADE_SERVER: 'http://h', KUBECONFIG: '/none'})).toEqual([]);
    expect(await faults({}, {}, {PALISADE_SERVER: '', KUBECONFIG: ''})).toEqual([]);
  });

  test('a call that nothing was checked before names the variable too', async () => {
    await expect(target({}, {PALISADE_SERVER: 'foo'})).rejects.toMatchObject({
      code: 'failed-precondition',
      message: 'PALISADE_SERVER in the environment: invalid value "foo": expected http(s)://HOST:PORT',
    });
  });
});

test('an unknown resource type is refused with those there are', async () => {
  const provider = createPlatformProvider(testHost({}, {}));
  await provider.configure({inputs: {server: first.url}});
  await expect(provider.create({urn: urnOf('platform:core/v1:Endpoint', 'web'), news: {}})).rejects.toThrow(
    'the platform provider has no resource type "platform:core/v1:Endpoint"; it has platform:core/v1:Endpoints',
  );
});
