// SPDX-License-Identifier: Apache-2.0
import {describe, expect, test} from 'vitest';
import {KubeconfigError, readKubeconfig, readKubeconfigFiles} from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const FILES: Record<string, string> = {'/home/u/ca.pem': 'CA', '/etc/token': 'rotated\n'};
const readFile = (path: string): string => {
  const text = FILES[path];
  if (text === undefined) throw new Error(`ENOENT: ${path}`);
  return text;
};

const CONFIG = `
apiVersion: v1
kind: Config
current-context: local
clusters:
- name: local
  cluster: {server: "http://127.0.0.1:8080/"}
- name: tls
  cluster:
    server: https://10.0.0.1:6443
    certificate-authority: ca.pem
    tls-server-name: api.example.com
contexts:
- name: local
  context: {cluster: local, user: ""}
- name: tls
  context: {cluster: tls, user: cert, namespace: shop}
- name: token
  context: {cluster: tls, user: token}
- name: file
  context: {cluster: tls, user: file}
- name: exec
  context: {cluster: tls, user: exec}
- name: nobody
  context: {cluster: tls, user: missing}
users:
- name: cert
  user: {client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}}
- name: token
  user: {token: abc, as: alice}
- name: file
  user: {tokenFile: /etc/token}
- name: exec
  user: {exec: {command: login}}
`;
const read = (context?: string, text = CONFIG) => readKubeconfig([{path: '/home/u/config', text}], {context, readFile});

describe('readKubeconfig', () => {
  test('the current context, plain http', () => {
    const target = read();
    expect(target).toMatchObject({context: 'local', namespace: '', connection: {server: 'http://127.0.0.1:8080'}});
    expect(target.connection.authorization?.()).toBeUndefined();
  });

  test('certificates inline and by a path relative to the file', () => {
    expect(read('tls')).toMatchObject({
      namespace: 'shop',
      connection: {
        server: 'https://10.0.0.1:6443',
        tls: {ca: 'CA', cert: 'CERT', key: 'KEY', serverName: 'api.example.com'},
      },
    });
  });

  test('tokens, inline and read anew from a file each time; impersonation', () => {
    const {connection} = read('token');
    expect(connection.authorization?.()).toBe('Bearer abc');
    expect(connection.headers).toEqual({'impersonate-user': 'alice'});
    const rotating = read('file').connection;
    expect(rotating.authorization?.()).toBe('Bearer rotated');
    FILES['/etc/token'] = 'next';
    expect(rotating.authorization?.()).toBe('Bearer next');
  });

  test('what the caller gives wins over the file: token, authority, any certificate', () => {
    const sources = [{path: '/home/u/config', text: CONFIG}];
    const {connection} = readKubeconfig(sources, {context: 'tls', readFile, token: 'mine', ca: 'OTHER'});
    expect(connection.authorization?.()).toBe('Bearer mine');
    expect(connection.tls).toEqual({ca: 'OTHER', serverName: 'api.example.com', insecure: false});
    const trusting = readKubeconfig(sources, {context: 'tls', readFile, insecure: true}).connection;
    expect(trusting.tls).toMatchObject({ca: undefined, insecure: true, cert: 'CERT'});
    expect(readKubeconfig(sources, {context: 'exec', readFile, token: 't'}).connection.tls?.ca).toBe('CA');
  });

  test('whom the user acts as: name, uid, groups, extra; a token of the caller leaves that as it is', () => {
    const user = `{client-certificate-data: ${base64('CERT')}, client-key-data: ${base64('KEY')}, as: Zoë, as-uid: u1, as-groups: [dev, ops], as-user-extra: {"example.org/Ü%": [x, y]}}`;
    const text = CONFIG.replace('{token: abc, as: alice}', user);
    const headers = {
      'impersonate-user': 'Zo\u00c3\u00ab',
      'impersonate-uid': 'u1',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.org%2F%C3%9C%25': ['x', 'y'],
    };
    expect(read('token', text).connection).toMatchObject({headers, tls: {cert: 'CERT'}});
    const own = readKubeconfig([{path: '/home/u/config', text}], {context: 'token', readFile, token: 'mine'});
    expect(own.connection.headers).toEqual(headers);
    expect(own.connection.authorization?.()).toBe('Bearer mine');
    expect(own.connection.tls?.cert).toBeUndefined();
    expect(read('token', CONFIG.replace('as: alice', 'as: ""')).connection.headers).toEqual({});
    const none = 'as: null, as-uid: null, as-groups: null, as-user-extra: null';
    expect(read('token', CONFIG.replace('as: alice', none)).connection.headers).toEqual({});
  });

  test('files of a list that are not there are left out, unless none is', () => {
    const absent = (path: string): string => {
      if (path === '/a') return 'A';
      if (path === '/secret') throw Object.assign(new Error('denied'), {code: 'EACCES'});
      throw Object.assign(new Error(path), {code: 'ENOENT'});
    };
    expect(readKubeconfigFiles(['/x', '/a', '/y'], absent)).toEqual([{path: '/a', text: 'A'}]);
    expect(() => readKubeconfigFiles(['/x', '/y'], absent)).toThrow('no kubeconfig found: /x, /y');
    expect(() => readKubeconfigFiles(['/x'], absent)).toThrow('/x cannot be read: there is no such file');
    expect(() => readKubeconfigFiles(['/secret', '/a'], absent)).toThrow('/secret cannot be read: permission denied');
  });

  test.each([
    ['EISDIR', 'it is a folder'],
    ['ENOTDIR', 'there is a file where its folder should be'],
    ['EIO', 'EIO: as the system words it'],
  ])('a file that cannot be read is no absent one, and %s is told as %j', (code, why) => {
    const unreadable = () => {
      throw Object.assign(new Error(`${code}: as the system words it`), {code});
    };
    expect(() => readKubeconfigFiles(['/x', '/y'], unreadable)).toThrow(`the kubeconfig /x cannot be read: ${why}`);
  });

  test('of several files the first that names an entry wins', () => {
    const first = 'current-context: tls\nclusters: [{name: tls, cluster: {server: "http://first"}}]\n';
    const sources = [
      {path: '/a/config', text: first},
      {path: '/home/u/config', text: CONFIG},
    ];
    expect(readKubeconfig(sources, {readFile}).connection).toMatchObject({server: 'http://first', tls: {cert: 'CERT'}});
  });

  test('JSON is a kubeconfig too', () => {
    const text = JSON.stringify({
      'current-context': 'a',
      clusters: [{name: 'c', cluster: {server: 'http://h'}}],
      contexts: [{name: 'a', context: {cluster: 'c'}}],
    });
    expect(read(undefined, text).connection.server).toBe('http://h');
  });

  test.each<[string, string | undefined, string, RegExp]>([
    ['an unknown context', 'none', CONFIG, /no context named "none"/],
    ['an unknown user', 'nobody', CONFIG, /no user named "missing"/],
    ['a sign-in plugin', 'exec', CONFIG, /user "exec".*exec, which is not supported: use a token/],
    [
      'groups to act in without a user',
      'token',
      CONFIG.replace('as: alice', 'as-groups: [dev]'),
      /user "token".*as-groups.*without a user to impersonate: set as/,
    ],
    [
      'whom to act as, in the wrong types',
      'token',
      CONFIG.replace('as: alice', 'as: 5, as-uid: [u], as-groups: dev, as-user-extra: {a: b}'),
      /user "token" of the kubeconfig: as must be a string; as-uid must be a string; as-groups must be a list of strings; as-user-extra must be lists/,
    ],
    ['no current context', undefined, 'kind: Config', /no current-context/],
    ['an empty file', undefined, '', /no current-context/],
    ['broken YAML', undefined, 'a: [', /the kubeconfig \/home\/u\/config is not YAML/],
    ['another kind', undefined, 'kind: Pod', /has kind Pod/],
    [
      '48-6 lists and entries of the wrong form',
      'x',
      'contexts: 5\nclusters: [null, {name: c, cluster: {server: 5}}]\nusers: [{name: u, user: []}]',
      /clusters\[0\] must be a mapping with a name; clusters\[1\].cluster.server must be a text; users\[0\].user must be a mapping; contexts must be a list/,
    ],
    ['a list', undefined, '[]', /is not a kubeconfig/],
    [
      'no server',
      'x',
      'contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c}]',
      /cluster "c".*has no server/,
    ],
    [
      'a missing certificate',
      'x',
      'contexts: [{name: x, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://h", certificate-authority: no.pem}}]',
      /names \/home\/u\/no.pem, which cannot be read/,
    ],
  ])('%s is refused', (_name, context, text, message) => {
    expect(() => read(context, text)).toThrow(KubeconfigError);
    expect(() => read(context, text)).toThrow(message);
  });
});
