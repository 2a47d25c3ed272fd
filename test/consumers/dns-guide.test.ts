// SPDX-License-Identifier: Apache-2.0
/** The commands of docs/guides/dns-without-a-cluster.md as they are written, in a network of their own, print what the guide shows. */
import {type ChildProcess, spawn} from 'node:child_process';
import {mkdirSync, readFileSync, symlinkSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {peerOrWhyNot} from '../../bench/peers.ts';
import {until} from '../../bench/processes.ts';
import {type Scratch, scratch} from '../support/palisade.ts';
import {START_MS} from './support/kube-side.ts';
import {whyNoNetwork, whyNotWithin} from './support/network.ts';

const programs = [peerOrWhyNot('coredns'), peerOrWhyNot('kubectl')] as const;
const whyNoDig = whyNotWithin('dig', '-v') && 'no dig, Debian: bind9-dnsutils';
const whyNot = programs[0].whyNot || programs[1].whyNot || whyNoNetwork || whyNoDig;
const skipReason = whyNot === '' ? '' : ` (skipped: ${whyNot})`;

const guide = readFileSync('docs/guides/dns-without-a-cluster.md', 'utf8').split('\n## Run both as services')[0] ?? '';
type Block = {readonly commands: string; readonly shown: string};
/** Commands, and what the guide shows after them. */
const blocks: readonly Block[] = guide
  .split(/^```sh\n/m)
  .slice(1)
  .map(text => {
    const [commands = '', , shown = ''] = text.split(/^```\n/m);
    return {commands, shown};
  });
const blockWith = (words: string): Block => {
  const found = blocks.find(({commands}) => commands.includes(words));
  if (found === undefined) throw new Error(`no commands of the guide have ${words}`);
  return found;
};

/** Lines in any order; without those of writes, which differ when they are repeated, without ages and without names that are drawn. */
const comparable = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter(line => line !== '' && !/^(service|endpoints)\/db /.test(line))
    .map(line => line.replaceAll(/\s+/g, ' ').replace(/^db-\w{5} /, 'db-… '))
    .map(line => line.replace(/ \d+s$/, ' …s'))
    .toSorted();

/** A shell in a network of its own that is told its commands one after the other. */
class Shell {
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];

  constructor(dir: string, path: string) {
    const prepare = 'ip link set lo up && exec bash -s';
    const own = (process.env['PATH'] ?? '').split(':').filter(entry => !entry.includes('node_modules')); // of a reader
    const env = {...process.env, PATH: [path, ...own].join(':')};
    this.#child = spawn('unshare', ['-n', 'sh', '-c', prepare], {cwd: dir, env, stdio: ['pipe', 'pipe', 'pipe']});
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface({input: stream}).on('line', line => this.#lines.push(line));
    this.tell('shopt -s expand_aliases\n');
  }

  tell(commands: string): void {
    this.#child.stdin?.write(commands);
  }

  /** A line that begins so, waited for; the lines before it are taken away and given. */
  async until(begin: string): Promise<string> {
    await until(`the line "${begin}"`, async () => this.#lines.some(line => line.startsWith(begin)), START_MS / 2);
    const at = this.#lines.findIndex(line => line.startsWith(begin));
    return this.#lines
      .splice(0, at + 1)
      .slice(0, -1)
      .join('\n');
  }

  async run(commands: string): Promise<string> {
    this.tell(`${commands}echo; echo "ended: $?"\n`);
    return this.until('ended: ');
  }

  async end(): Promise<void> {
    const ended = new Promise(done => this.#child.once('exit', done));
    this.tell('kill $(jobs -p); wait; exit\n');
    await ended;
  }
}

describe.skipIf(whyNot !== '')(`45-5 the guide for DNS without a cluster${skipReason}`, () => {
  let folder: Scratch;
  let shell: Shell;

  beforeAll(async () => {
    folder = scratch();
    for (const name of ['node_modules', 'build', 'bench']) symlinkSync(resolve(name), join(folder.dir, name));
    mkdirSync(join(folder.dir, 'bin'));
    symlinkSync(programs[1].path, join(folder.dir, 'bin/kubectl'));
    shell = new Shell(folder.dir, join(folder.dir, 'bin'));
    shell.tell(blockWith('palisade serve').commands);
    await shell.until('{"ready":true');
  }, START_MS);
  afterAll(async () => {
    await shell?.end();
    folder?.[Symbol.dispose]();
  });

  test('45-5 a kubeconfig of its own, the rights of CoreDNS, and CoreDNS is ready', {timeout: START_MS}, async () => {
    expect(await shell.run(blockWith('coredns.token').commands)).toMatch(/\/coredns\.kubeconfig$/m);
    expect((await shell.run(blockWith('create clusterrole ').commands)).trim().split('\n')).toEqual([
      'clusterrole.rbac.authorization.k8s.io/coredns created',
      'clusterrolebinding.rbac.authorization.k8s.io/coredns created',
    ]);
    expect(await shell.run(blockWith('build-peers.ts coredns').commands)).not.toMatch(/error|building/i);
    await expect.poll(() => shell.run(blockWith('cat > Corefile').commands), {timeout: START_MS}).toMatch(/^OK$/m);
  });

  test.each(['kind: Endpoints', 'alias ask', 'kubectl patch'])('45-5 what the guide shows after %s', async words => {
    const {commands, shown} = blockWith(words);
    expect(comparable(shown)).not.toEqual([]);
    await expect.poll(async () => comparable(await shell.run(commands))).toEqual(comparable(shown));
  });
});
