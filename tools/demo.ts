// SPDX-License-Identifier: Apache-2.0
/**
 * `make demo`: from a program to a threat log, with nothing canned. Starts a server, runs examples/shop with the embedded engine,
 * shows the Endpoints, sends the captured attack as VXLAN to the IDS endpoint, prints the threat logs and what was left out.
 * KEEP=1 leaves the server running. Exit 0: all of it worked; 1: something is missing or failed, and it says what.
 */
import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {createInterface} from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const palisade = join(root, 'node_modules/.bin/palisade');
const shop = join(root, 'examples/shop');
const work = join(root, 'build/demo');
const stack = 'demo';
/** How long the demo waits for a server, and for threat logs after the last packet. */
const WAIT_MS = 30_000;

type Ready = {http: string; kubeconfig: string; pid: number};
type Threat = {
  threat_id: string;
  alert_severity: string;
  name: string;
  source_ip_address: string;
  destination_ip_address: string;
  destination_port: string;
  repeat_count: string;
};

const say = (text = ''): void => console.log(text);
const step = (text: string): void => say(`\n== ${text}`);
const env = {
  ...process.env,
  PULUMI_BACKEND_URL: `file://${join(work, 'state')}`,
  PULUMI_HOME: join(work, 'home'),
  PULUMI_CONFIG_PASSPHRASE: 'demo',
  NO_COLOR: '1',
};

const startServer = (): Promise<{child: ChildProcess; ready: Ready}> =>
  new Promise((done, fail) => {
    const child = spawn(
      palisade,
      ['serve', '--data', join(work, 'data'), '--http', '127.0.0.1:0', '--auth', 'none', '--log-level', 'warn'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: process.env['KEEP'] === '1',
      },
    );
    const timer = setTimeout(() => fail(new Error(`the server was not ready after ${WAIT_MS / 1000} s`)), WAIT_MS);
    child.once('error', fail);
    child.once('exit', code => fail(new Error(`the server ended with exit code ${code} before it was ready`)));
    createInterface({input: child.stdout}).once('line', line => {
      clearTimeout(timer);
      child.removeAllListeners('exit');
      done({child, ready: JSON.parse(line) as Ready});
    });
  });

const stop = (child: ChildProcess): Promise<void> =>
  new Promise(done => {
    if (child.exitCode !== null || child.signalCode !== null) return done();
    child.once('exit', () => done());
    child.kill('SIGTERM');
  });

/** Runs a command whose output the reader sees; throws when it fails. */
const show = (command: string, args: readonly string[], extra: Record<string, string> = {}): void => {
  say(`$ ${command === palisade ? 'palisade' : command} ${args.join(' ').replaceAll(`${root}/`, '')}`);
  const result = spawnSync(command, args, {
    cwd: root,
    env: {...env, ...extra},
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) throw new Error(`${args[0]} failed with exit code ${result.status}`);
};

const capture = (args: readonly string[], extra: Record<string, string>): string => {
  const result = spawnSync(palisade, args, {
    cwd: root,
    env: {...env, ...extra},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (result.status !== 0) throw new Error(`palisade ${args.join(' ')} failed with exit code ${result.status}`);
  return result.stdout;
};

type Table = {columnDefinitions: {name: string}[]; rows: {cells: unknown[]}[]};

/** kubectl's rows, by kubectl where it is there, else from the same Table answer. */
const showEndpoints = async (ready: Ready): Promise<void> => {
  if (spawnSync('kubectl', ['version', '--client']).status === 0)
    return show('kubectl', ['--kubeconfig', ready.kubeconfig, 'get', 'endpoints', '--all-namespaces']);
  const answer = await fetch(`${ready.http}/api/v1/namespaces/default/endpoints`, {
    headers: {accept: 'application/json;as=Table;v=v1;g=meta.k8s.io'},
  });
  const table = (await answer.json()) as Table;
  const rows = [table.columnDefinitions.map(c => c.name.toUpperCase()), ...table.rows.map(r => r.cells.map(String))];
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map(r => r[i]?.length ?? 0))) ?? [];
  for (const row of rows)
    say(
      row
        .map((cell, i) => cell.padEnd((widths[i] ?? 0) + 3))
        .join('')
        .trimEnd(),
    );
};

const threatsOf = (ready: Ready): Threat[] =>
  capture(['threats', '--endpoint', 'shop-guard', '--json'], {PALISADE_SERVER: ready.http})
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Threat);

type Health = {alerts: {seen: number; stored: number; filtered: number; excepted: number}; packets: {received: number}};

const healthOf = async (ready: Ready): Promise<Health> =>
  (await (await fetch(`${ready.http}/v1/projects/shop/locations/local/endpoints/shop-guard/health`)).json()) as Health;

/** Waits until Suricata has said nothing new for a while, then reads the records. */
const settled = async (ready: Ready, sent: number): Promise<{threats: Threat[]; health: Health}> => {
  const began = Date.now();
  let before = -1;
  for (;;) {
    const health = await healthOf(ready);
    if (health.packets.received >= sent && health.alerts.seen > 0 && health.alerts.seen === before)
      return {threats: threatsOf(ready), health};
    if (Date.now() - began > WAIT_MS)
      throw new Error(`no settled threat logs after ${WAIT_MS / 1000} s: ${JSON.stringify(health)}`);
    before = health.alerts.seen;
    await new Promise(r => setTimeout(r, 1500));
  }
};

const attackAndReport = async (ready: Ready): Promise<void> => {
  step('4. A real attack, mirrored: captured traffic goes as VXLAN to the endpoint IP');
  const file = join(shop, 'traffic/attack.pcap');
  const sent = JSON.parse(
    capture(['replay', file, '--endpoint', 'shop-guard', '--rate', '500', '--json'], {PALISADE_SERVER: ready.http}),
  ) as {sent: number; to: string; vni: number};
  say(`sent ${sent.sent} frames to ${sent.to}:4789, VNI ${sent.vni}`);
  step('5. The threat logs: what Suricata saw, at or above the severity of the program');
  const {threats, health} = await settled(ready, sent.sent);
  show(palisade, ['threats', '--endpoint', 'shop-guard'], {PALISADE_SERVER: ready.http});
  const endpoint = (await (
    await fetch(`${ready.http}/v1/projects/shop/locations/local/endpoints/shop-guard`)
  ).json()) as {severity: string; threatExceptions?: string[]};
  const excepted = endpoint.threatExceptions ?? [];
  const leaked = threats.filter(t => excepted.includes(t.threat_id));
  if (leaked.length > 0) throw new Error(`an excepted threat was logged: ${leaked.map(t => t.threat_id).join(', ')}`);
  say(
    `\nSuricata raised ${health.alerts.seen} alerts: ${health.alerts.stored} are in the threat logs above, ` +
      `${health.alerts.filtered} below ${endpoint.severity} and ${health.alerts.excepted} excepted (${excepted.join(', ') || 'none'}) are not.`,
  );
  if (threats.length === 0) throw new Error('no threat log came out');
};

const farewell = (ready: Ready, kept: boolean): void => {
  step(kept ? 'The server stays up' : 'How to go on');
  const server = kept ? ready.http : 'http://127.0.0.1:8080';
  if (kept) say(`stop it with: kill ${ready.pid}`);
  else
    say(
      'start a server:  npx palisade serve --auth none --data ./data --http 127.0.0.1:8080      (or: make demo KEEP=1)',
    );
  say(`kubectl:         kubectl ${kept ? `--kubeconfig ${ready.kubeconfig}` : `--server ${server}`} get endpoints -w`);
  say(`gcloud:          CLOUDSDK_AUTH_DISABLE_CREDENTIALS=true CLOUDSDK_API_ENDPOINT_OVERRIDES_IDS=${server}/ \\`);
  say('                 gcloud ids endpoints list --project shop');
  say(`threat logs:     PALISADE_SERVER=${server} npx palisade threats --follow`);
  say(
    'your program:    change examples/shop/index.ts, then PULUMI_CONFIG_PASSPHRASE=demo npx palisade up --cwd examples/shop',
  );
};

const suricataMissing = (): string | undefined => {
  const found = spawnSync('suricata', ['-V'], {encoding: 'utf8'});
  if (found.error !== undefined) return 'Suricata is not installed';
  const major = Number(/version (\d+)\./.exec(`${found.stdout}${found.stderr}`)?.[1] ?? 0);
  return major >= 7 ? undefined : `Suricata ${major} is too old`;
};

async function main(): Promise<number> {
  const missing = suricataMissing();
  rmSync(work, {recursive: true, force: true});
  mkdirSync(join(work, 'state'), {recursive: true});
  if (!existsSync(join(shop, 'node_modules'))) symlinkSync('../../build/sdk/node_modules', join(shop, 'node_modules'));
  step('1. One command starts the control plane');
  const {child, ready} = await startServer();
  say(`palisade serves both APIs at ${ready.http}`);
  const kept = process.env['KEEP'] === '1';
  try {
    step('2. A program declares both resources (examples/shop/index.ts)');
    const engine = {PALISADE_SERVER: ready.http, KUBECONFIG: ready.kubeconfig};
    show(palisade, ['stack', 'init', stack, '--cwd', shop], engine);
    if (missing !== undefined) {
      const only = join(work, 'note.txt');
      writeFileSync(only, missing);
      say(`\n${missing}: an IDS endpoint cannot get READY here.`);
      say('Install it as root with tools/install-suricata.sh (Debian 12/13, Ubuntu 24.04), then run make demo again.');
      say('Going on with the Endpoints alone.');
      show(
        palisade,
        [
          'up',
          '--yes',
          '--skip-preview',
          '--stack',
          stack,
          '--cwd',
          shop,
          '--target',
          `urn:pulumi:${stack}::shop::platform:core/v1:Endpoints::web`,
        ],
        engine,
      );
      step('3. Who serves the shop');
      await showEndpoints(ready);
      return 1;
    }
    show(palisade, ['up', '--yes', '--skip-preview', '--stack', stack, '--cwd', shop], engine);
    step('3. Who serves the shop');
    await showEndpoints(ready);
    await attackAndReport(ready);
    farewell(ready, kept);
    return 0;
  } finally {
    if (kept) child.unref();
    else await stop(child);
  }
}

try {
  process.exitCode = await main();
  if (process.env['KEEP'] === '1') process.exit();
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
