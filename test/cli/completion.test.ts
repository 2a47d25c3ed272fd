// SPDX-License-Identifier: Apache-2.0
/** Completion in real shells, with names of a real backend and a real server. */
import {spawnSync} from 'node:child_process';
import {mkdirSync, symlinkSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {PALISADE, quiet, type RunningServer, run, scratch, serve} from '../support/palisade.ts';

const folder = scratch();
let server: RunningServer;
let env: Record<string, string>;
const project = join(folder.dir, 'shop');

beforeAll(async () => {
  server = await serve([...quiet(folder.dir), '--driver', 'relay']);
  for (const name of ['shop', 'state', 'home']) mkdirSync(join(folder.dir, name));
  writeFileSync(join(project, 'Pulumi.yaml'), 'name: shop\nruntime: nodejs\n');
  env = {
    HOME: join(folder.dir, 'home'),
    PULUMI_HOME: join(folder.dir, 'home'),
    PULUMI_BACKEND_URL: `file://${join(folder.dir, 'state')}`,
    PULUMI_CONFIG_PASSPHRASE: 'check',
    PALISADE_SERVER: server.ready.http,
  };
  for (const stack of ['dev', 'production']) await run(['stack', 'init', stack], {cwd: project, env});
  const post = (path: string, body: object): Promise<unknown> =>
    fetch(`${server.ready.http}${path}`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body: JSON.stringify(body),
    });
  await post('/api/v1/namespaces', {metadata: {name: 'team-a'}});
  await post('/api/v1/namespaces/team-a/endpoints', {metadata: {name: 'web'}});
  const platform = '/apis/platform.io/v1alpha1/namespaces/default';
  await post(`${platform}/endpointgroups`, {metadata: {name: 'shop'}, spec: {}});
  await post(`${platform}/endpointregistrations`, {
    metadata: {name: 'shop-db1'},
    spec: {group: 'shop', addresses: ['10.0.0.1']},
  });
  await post('/apis/platform.io/v1alpha1/accesstokens', {metadata: {name: 'anna-laptop'}, spec: {user: 'anna'}});
  await post('/v1/projects/p/locations/local/endpoints?endpointId=guard', {network: 'n', severity: 'LOW'});
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** What `palisade __complete` answers, without descriptions. */
const asked = async (...words: string[]): Promise<string[]> => {
  const {stdout, stderr, code} = await run(['__complete', '--', ...words], {cwd: project, env});
  expect({stderr, code}).toEqual({stderr: '', code: 0});
  return stdout.split('\n').flatMap(line => line.split('\t')[0] || []);
};

/** A server that answers too late is as none: a completion waits a second for it, which can be short on a busy machine. */
const served = (...words: string[]) => expect.poll(() => asked(...words));

describe('live names', () => {
  test('stacks of the project, also of the one in --cwd', async () => {
    expect(await asked('up', '--stack', '')).toEqual(['dev', 'production']);
    const {stdout} = await run(['__complete', '--', 'up', '--cwd', project, '--stack', 'd'], {cwd: folder.dir, env});
    expect(stdout).toBe('dev\n');
  });

  test('names of the server: IDS endpoints, namespaces, Endpoints objects', async () => {
    await served('threats', '--endpoint', '').toEqual(['guard']);
    await served('mirror', '').toEqual(['guard']);
    await served('test-threat', '--json', 'g').toEqual(['guard']);
    await served('expand', '-n', 'team').toEqual(['team-a']);
    await served('expand', '-n', 'team-a', '').toEqual(['web']);
    await served('describe', '-n', 'team-a', 'endpoints/').toEqual(['endpoints/web']);
  });

  test('46-3 names of groups and registrations', async () => {
    await served('register', '--group', '').toEqual(['shop']);
    await served('deregister', 's').toEqual(['shop-db1']);
  });

  test('47-2 names of access tokens', async () => {
    await served('token', 'revoke', '').toEqual(['anna-laptop']);
  });

  test('43-2 sids and names of rule sets', async () => {
    await served('rules', 'explain', '900010').toContain('9000101');
    await served('rules', 'list', '--set', '').toEqual(['default']);
  });

  test('silent where no server runs; bounded where one does not answer', async () => {
    const words = ['__complete', '--', 'threats', '--endpoint', ''];
    const dead = await run(words, {env: {...env, PALISADE_SERVER: 'http://127.0.0.1:1'}});
    expect(dead).toEqual({code: 0, stdout: '', stderr: ''});
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise(done => silent.once('listening', done));
    const {port} = silent.address() as {port: number};
    const began = performance.now();
    const slow = await run(words, {env: {...env, PALISADE_SERVER: `http://127.0.0.1:${port}`}});
    expect(slow).toEqual({code: 0, stdout: '', stderr: ''});
    expect(performance.now() - began).toBeLessThan(15_000); // far above a second, for busy machines; without a bound it hangs
    silent.close();
  });
});

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const inShell = (shell: string, script: string): string[] => {
  const {stdout, stderr} = spawnSync(shell, ['-c', script], {
    cwd: project,
    env: {...process.env, ...env, PATH: `${join(PALISADE, '..')}:${process.env['PATH'] ?? ''}`},
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(line => line !== '');
};

describe('shells', () => {
  const asTyped = (program: string, ...words: string[]): string[] => {
    const list = [program, ...words].map(word => `'${word}'`).join(' ');
    return inShell(
      'bash',
      `source <(palisade completion bash); compopt() { echo "compopt $*"; }; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _palisade; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  };

  const bash = (...words: string[]): string[] => asTyped('palisade', ...words);

  test('bash: commands, values, live names, paths', () => {
    expect(bash('sta')).toEqual(['stack', 'state']);
    expect(bash('serve', '--compat', '=', 'k')).toEqual(['kubernetes']);
    expect(bash('stack', 'select', '')).toEqual(['dev', 'production']);
    expect(bash('up', '--config-file', 'Pul')).toEqual(['compopt -o default']);
    expect(bash('up', '--cwd', '../sh')).toEqual(['compopt -o filenames', '../shop']);
    expect(inShell('bash', 'source <(palisade completion bash); complete -p palisade')).toEqual([
      'complete -F _palisade palisade',
    ]);
  });

  test('bash: a program that is typed with a tilde or a variable', () => {
    symlinkSync(PALISADE, join(folder.dir, 'home', 'mine'));
    for (const program of ['~/mine', '~nobody-here/palisade', '$HOME/mine'])
      expect(asTyped(program, 'sta'), program).toEqual(['stack', 'state']);
  });

  test.skipIf(!has('zsh'))('zsh (skipped where it is not installed)', () => {
    const script = `autoload -U compinit; compinit -u -D; source <(palisade completion zsh)
      compadd() { shift 4; print -l -- "$@" }
      words=(palisade stack select ''); CURRENT=4; _palisade`;
    expect(inShell('zsh', script)).toEqual(['dev', 'production']);
    symlinkSync(PALISADE, join(folder.dir, 'home', 'mine-zsh'));
    expect(inShell('zsh', script.replace('words=(palisade', "words=('~/mine-zsh'"))).toEqual(['dev', 'production']);
    expect(inShell('zsh', 'source <(palisade completion zsh); whence -w _palisade')).toEqual(['_palisade: function']);
  });

  test.skipIf(!has('fish'))('fish (skipped where it is not installed)', () => {
    const script = "palisade completion fish | source; complete -C 'palisade stack select '";
    expect(inShell('fish', script)).toEqual(['dev', 'production']);
  });
});
