// SPDX-License-Identifier: Apache-2.0
/**
 * Three hosts as network namespaces: a sensor host with a real server, a source whose traffic is mirrored, and a client.
 *
 *     client c0 ── a0 source a1 ── s1 sensor: the server, endpoints at 10.77.0.0/24
 */
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {type Finished, PALISADE, run} from '../../support/palisade.ts';

const TOKEN = 'admintoken';
const HTTP = 'http://127.0.0.1:8080';
const HTTPS = '10.9.0.2:8443';
const START_MS = 60_000;
const PARENT = 'projects/p/locations/local';

export type Host = 'sensor' | 'source' | 'client';
export const nameOf = (id: string): string => `${PARENT}/endpoints/${id}`;
export const SOURCE_FOR_CLIENT = '10.1.1.1';
export const SOURCE_FOR_SENSOR = '10.9.0.1';

/** Creates an endpoint and waits until it is READY, inside the sensor's namespace. */
const CREATE = `
  const [base, id, token, body] = process.argv.slice(1);
  const headers = {authorization: 'Bearer ' + token, 'content-type': 'application/json'};
  const made = await fetch(base + '/endpoints?endpointId=' + id, {method: 'POST', headers, body});
  if (!made.ok) throw new Error(await made.text());
  for (let endpoint = {}; endpoint.state !== 'READY'; ) {
    await new Promise(done => setTimeout(done, 100));
    endpoint = await (await fetch(base + '/endpoints/' + id, {headers})).json();
    if (endpoint.error !== undefined) throw new Error(endpoint.error.message);
    if (endpoint.state === 'READY') console.log(endpoint.endpointIp);
  }`;
/** An HTTP server that answers everything, on the given port. */
const WEB = `
  require('node:http').createServer((request, response) => response.end('ok\\n'))
    .listen(Number(process.argv[1]), () => console.log('ready'))`;
const GET = `require('node:http').get(process.argv[1], response => response.resume().on('end', () => console.log('done')))`;

const GUIDE_LINES = readFileSync('docs/guides/attach-a-mirror.md', 'utf8')
  .split('\n')
  .flatMap(line => /^ {4}(\S.*)/.exec(line)?.[1] ?? []);
/** The commands of the guide, as they are written there. */
export const guideLines = (pattern: RegExp): string[] => GUIDE_LINES.filter(line => pattern.test(line));
const guideLine = (pattern: RegExp): string => guideLines(pattern)[0] ?? '';

const ended = (child: ChildProcess): Promise<void> =>
  new Promise(done => {
    if (child.exitCode !== null || child.signalCode !== null) done();
    else child.once('exit', () => done());
  });

export class MirrorLab {
  readonly #prefix = `pm${process.pid}`;
  readonly #folder = mkdtempSync(join(tmpdir(), 'palisade-mirror-'));
  readonly #children: ChildProcess[] = [];

  /** With a server whose sensors use `driver`. */
  static async open(driver = 'relay'): Promise<MirrorLab> {
    const lab = new MirrorLab();
    try {
      lab.#connect();
      await lab.#serve(driver);
      await lab.#spawn('source', process.execPath, '-e', WEB, '80');
      return lab;
    } catch (error) {
      await lab.close();
      throw error;
    }
  }

  space(host: Host): string {
    return `${this.#prefix}-${host}`;
  }

  /** A program in the namespace of a host, to its end; throws if it fails. */
  exec(host: Host, ...argv: string[]): string {
    return execFileSync('ip', ['netns', 'exec', this.space(host), ...argv], {encoding: 'utf8', stdio: 'pipe'});
  }

  #connect(): void {
    for (const host of ['sensor', 'source', 'client'] as const) {
      execFileSync('ip', ['netns', 'add', this.space(host)]);
      // Addresses are in place at once: `dump` shows no address that is still being tried.
      for (const set of ['all', 'default']) this.exec(host, 'sysctl', '-qw', `net.ipv6.conf.${set}.accept_dad=0`);
      this.exec(host, 'ip', 'link', 'set', 'lo', 'up');
    }
    this.exec('source', ...`ip link add a0 type veth peer name c0 netns ${this.space('client')}`.split(' '));
    this.exec('source', ...`ip link add a1 type veth peer name s1 netns ${this.space('sensor')}`.split(' '));
    for (const [host, dev, address] of [
      ['source', 'a0', SOURCE_FOR_CLIENT],
      ['client', 'c0', '10.1.1.2'],
      ['source', 'a1', SOURCE_FOR_SENSOR],
      ['sensor', 's1', '10.9.0.2'],
    ] as const) {
      this.exec(host, 'ip', 'addr', 'add', `${address}/24`, 'dev', dev);
      this.exec(host, 'ip', 'link', 'set', dev, 'up');
    }
    this.exec('sensor', ...guideLine(/^ip route add local .*/).split(' '));
    this.exec('source', ...guideLine(/^ip route add 10.* via .*/).split(' '));
  }

  /** Resolves at the first line of stdout. */
  async #spawn(host: Host, ...argv: string[]): Promise<string> {
    const child = spawn('ip', ['netns', 'exec', this.space(host), ...argv], {stdio: ['ignore', 'pipe', 'pipe']});
    this.#children.push(child);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', text => {
      errors += text;
    });
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`not ready in time: ${errors}`)), START_MS);
      createInterface({input: child.stdout}).once('line', line => {
        clearTimeout(timer);
        done(line);
      });
      child.once('exit', code => fail(new Error(`exit ${code}: ${errors}`)));
    });
  }

  async #serve(driver: string): Promise<void> {
    const tokens = join(this.#folder, 'tokens.csv');
    writeFileSync(tokens, `${TOKEN},admin,u1,"system:masters"\n`, {mode: 0o600});
    const flags = [
      ...['--data', this.dataFolder, '--http', HTTP.slice('http://'.length), '--https', HTTPS],
      ...['--token-auth-file', tokens, '--endpoint-pool', '10.77.0.0/24', '--driver', driver, '--log-level', 'warn'],
    ];
    await this.#spawn('sensor', PALISADE, 'serve', ...flags);
  }

  get dataFolder(): string {
    return join(this.#folder, 'data');
  }

  /** Resolves to the address. */
  create(id: string, endpoint: object = {}): string {
    const body = JSON.stringify({network: 'n', severity: 'INFORMATIONAL', ...endpoint});
    const args = ['--input-type=module', '-e', CREATE, '--', `${HTTP}/v1/${PARENT}`, id, TOKEN, body];
    return this.exec('sensor', process.execPath, ...args).trim();
  }

  /** `palisade` on a host, with the connection to the server. `env`: of the command; `before`: words in front of it. */
  palisade(
    host: Host,
    words: readonly string[],
    {env = {}, before = []}: {env?: Record<string, string>; before?: readonly string[]} = {},
  ): Promise<Finished> {
    const server = host === 'sensor' ? HTTP : `https://${HTTPS}`;
    const trust = host === 'sensor' ? {} : {NODE_EXTRA_CA_CERTS: join(this.dataFolder, 'pki/ca.crt')};
    return run(['netns', 'exec', this.space(host), ...before, PALISADE, ...words], {
      command: 'ip',
      env: {PALISADE_SERVER: server, PALISADE_TOKEN: TOKEN, ...trust, ...env},
    });
  }

  /** A request to an address and path. */
  get(host: Host, url: string): void {
    this.exec(host, process.execPath, '-e', GET, url);
  }

  /** Devices, qdiscs and filters of a host, without counters. */
  dump(host: Host): string {
    const devices = ['a0', 'a1', 's1', 'c0', 'lo'];
    const links = this.exec(host, 'ip', '-d', 'link', 'show');
    const filters = devices
      .filter(dev => links.includes(`: ${dev}@`) || links.includes(`: ${dev}:`))
      .flatMap(dev => ['ingress', 'egress'].map(way => this.exec(host, 'tc', 'filter', 'show', 'dev', dev, way)));
    const neighbours = this.exec(host, 'ip', 'neigh').split('\n');
    const permanent = neighbours.filter(line => line.includes('PERMANENT')); // others come and go by themselves
    const routes = [this.exec(host, 'ip', 'addr'), this.exec(host, 'ip', 'route', 'show', 'table', 'all')];
    const dumps = [links, this.exec(host, 'tc', 'qdisc', 'show'), ...filters, ...routes, ...permanent];
    return dumps.join('\n').replaceAll(/valid_lft.*/g, '');
  }

  /** Counts the packets on a device that match, from now on until the returned function is called. */
  async count(host: Host, dev: string, filter: string): Promise<() => Promise<number>> {
    const argv = ['tcpdump', '-i', dev, '-nn', '-t', '-l', '--immediate-mode', ...filter.split(' ')];
    const child = spawn('ip', ['netns', 'exec', this.space(host), ...argv], {stdio: ['ignore', 'pipe', 'pipe']});
    this.#children.push(child);
    let said = '';
    const listening = Promise.withResolvers<void>();
    child.stderr.setEncoding('utf8').on('data', text => {
      said += text;
      if (said.includes('listening on')) listening.resolve();
    });
    child.stdout.resume();
    child.once('exit', () => listening.reject(new Error(said)));
    await listening.promise;
    return async () => {
      child.kill('SIGINT');
      await new Promise(done => child.once('close', done));
      return Number(/(\d+) packets? captured/.exec(said)?.[1]);
    };
  }

  async close(): Promise<void> {
    for (const child of this.#children) if (child.exitCode === null) child.kill('SIGTERM');
    await Promise.all(this.#children.map(ended));
    for (const host of ['sensor', 'source', 'client'] as const)
      try {
        execFileSync('ip', ['netns', 'del', this.space(host)], {stdio: 'pipe'});
      } catch {} // it was not made
    rmSync(this.#folder, {recursive: true, force: true});
  }
}
