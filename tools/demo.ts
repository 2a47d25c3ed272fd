// SPDX-License-Identifier: Apache-2.0
/**
 * `make demo`: from a program to a threat log, with nothing canned. Starts a server, runs examples/shop with the embedded engine,
 * shows the Endpoints and their slices, lets a health check take a dead address out, sends the captured attack as VXLAN to the IDS
 * endpoint, prints the threat logs and what was left out.
 * KEEP=1 leaves the server running. Exit 0: all of it worked; 1: something is missing or failed, and it says what.
 */
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {findGround, showChecks} from './demo-checks.ts';
import {DEMO_FOLDER, DEMO_STACK, demoHints, demoState} from './demo-hints.ts';
import {type DemoServer, serverLeftUp, startServer, stopServer} from './demo-server.ts';
import {ENDPOINTS, palisade, type Shown, say, show, showObjects, step, tableOf} from './demo-show.ts';

const root = resolve(import.meta.dirname, '..');
const shop = join(root, 'examples/shop');
const work = join(root, DEMO_FOLDER);
const data = join(work, 'data');
const stack = DEMO_STACK;
/** How long the demo waits for slices, and for threat logs after the last packet. */
const WAIT_MS = 30_000;

type Threat = {
  id: string;
  threat_id: string;
  alert_severity: string;
  name: string;
  source_ip_address: string;
  destination_ip_address: string;
  destination_port: string;
  repeat_count: string;
};

const env: Readonly<Record<string, string>> = {...demoState(root), PULUMI_HOME: join(work, 'home')};

/** As `show`, with the demo's own state of the engine. */
const showHere = (command: string, args: readonly string[], extra: Record<string, string> = {}): void =>
  show(command, args, {...env, ...extra});

const capture = (args: readonly string[], extra: Record<string, string>): string => {
  const result = spawnSync(palisade, args, {
    cwd: root,
    env: {...process.env, ...env, NO_COLOR: '1', ...extra},
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (result.status !== 0) throw new Error(`palisade ${args.join(' ')} failed with exit code ${result.status}`);
  return result.stdout;
};

const SLICES: Shown = {
  resource: 'endpointslices',
  path: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
};
const SHOP_SLICES = {...SLICES, path: `${SLICES.path}?labelSelector=kubernetes.io/service-name%3Dweb`};

/** The Endpoints, then the slices that the server makes of them for DNS servers, proxies and discovery. */
const showEndpoints = async (ready: DemoServer): Promise<void> => {
  await showObjects(ready, ENDPOINTS);
  const began = Date.now();
  while ((await tableOf(ready, SHOP_SLICES)).rows.length === 0) {
    if (Date.now() - began > WAIT_MS) throw new Error(`no EndpointSlices after ${WAIT_MS / 1000} s`);
    await new Promise(r => setTimeout(r, 100));
  }
  say();
  await showObjects(ready, SLICES);
};

/** False: there is no place for it on this machine. */
const showDeadAddress = (): boolean => {
  step('4. A health check takes a dead address out of a set');
  const ground = findGround();
  if (ground === undefined) {
    say('Skipped: no network namespace is permitted here, and this machine has no address but loopback.');
    say('Checks never connect to loopback addresses.');
    return false;
  }
  const {addresses, text} = ground;
  say(`HTTP servers at ${addresses.join(' and ')} and another Palisade server run ${text}.`);
  showChecks(ground, join(work, 'checks'));
  return true;
};

const threatsOf = (ready: DemoServer): Threat[] =>
  capture(['threats', '--endpoint', 'shop-guard', '--json'], {PALISADE_SERVER: ready.http})
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Threat);

type Health = {alerts: {seen: number; stored: number; filtered: number; excepted: number}; packets: {received: number}};

const healthOf = async (ready: DemoServer): Promise<Health> =>
  (await (await fetch(`${ready.http}/v1/projects/shop/locations/local/endpoints/shop-guard/health`)).json()) as Health;

/** Waits until Suricata has said nothing new for a while, then reads the records. */
const settled = async (ready: DemoServer, sent: number): Promise<{threats: Threat[]; health: Health}> => {
  const began = Date.now();
  let before = -1;
  for (;;) {
    const health = await healthOf(ready);
    if (health.packets.received >= sent && health.alerts.seen > 0 && health.alerts.seen === before)
      return {threats: threatsOf(ready), health};
    if (Date.now() - began > WAIT_MS)
      throw new Error(`threat logs were not complete after ${WAIT_MS / 1000} s: ${JSON.stringify(health)}`);
    before = health.alerts.seen;
    await new Promise(r => setTimeout(r, 1500));
  }
};

const attackAndReport = async (ready: DemoServer): Promise<void> => {
  step('5. A real attack, mirrored: captured traffic is sent as VXLAN to the endpoint IP');
  const file = join(shop, 'traffic/attack.pcap');
  const sent = JSON.parse(
    capture(['replay', file, '--endpoint', 'shop-guard', '--rate', '500', '--json'], {PALISADE_SERVER: ready.http}),
  ) as {sent: number; to: string; vni: number};
  say(`sent ${sent.sent} frames to ${sent.to}:4789, VNI ${sent.vni}`);
  step('6. The threat logs: threats that Suricata found, at or above the declared severity');
  const {threats, health} = await settled(ready, sent.sent);
  showHere(palisade, ['threats', '--endpoint', 'shop-guard'], {PALISADE_SERVER: ready.http});
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
  if (threats.length === 0) throw new Error('no threat logs were written');
  step('7. The evidence of one of them: what was sent, the rule that matched, and its packets');
  const shown = threats.find(({name}) => name.includes('SQL injection')) ?? threats[0];
  const packets = join(work, 'alert.pcap');
  showHere(palisade, ['threats', 'show', shown?.id ?? '', '--pcap', packets], {PALISADE_SERVER: ready.http});
  if (spawnSync('tcpdump', ['--version']).status === 0) showHere('tcpdump', ['-nn', '-r', packets]);
};

const farewell = (ready: DemoServer, kept: boolean): void => {
  step(kept ? 'The server keeps running' : 'Next steps');
  for (const line of demoHints(kept ? ready : undefined)) say(line);
};

const suricataMissing = (): string | undefined => {
  const found = spawnSync('suricata', ['-V'], {encoding: 'utf8'});
  if (found.error !== undefined) return 'Suricata is not installed';
  const major = Number(/version (\d+)\./.exec(`${found.stdout}${found.stderr}`)?.[1] ?? 0);
  return major >= 7 ? undefined : `Suricata ${major} is too old`;
};

async function main(): Promise<number> {
  const missing = suricataMissing();
  const before = await serverLeftUp(data);
  if (before !== undefined)
    throw new Error(
      `the server of an earlier demo is still running and its data would be deleted: stop it with kill ${before.pid}`,
    );
  rmSync(work, {recursive: true, force: true});
  mkdirSync(join(work, 'state'), {recursive: true});
  if (!existsSync(join(shop, 'node_modules'))) symlinkSync('../../build/sdk/node_modules', join(shop, 'node_modules'));
  step('1. One command starts the control plane');
  const kept = process.env['KEEP'] === '1';
  const {child, ready} = await startServer({palisade, data, log: kept ? join(work, 'serve.log') : undefined});
  say(`palisade serves both APIs at ${ready.http}`);
  let done = false;
  try {
    step('2. A program declares both resources (examples/shop/index.ts)');
    const engine = {PALISADE_SERVER: ready.http, KUBECONFIG: ready.kubeconfig};
    showHere(palisade, ['stack', 'init', stack, '--cwd', shop], engine);
    if (missing !== undefined) {
      const only = join(work, 'note.txt');
      writeFileSync(only, missing);
      say(`\n${missing}: IDS endpoints cannot become READY on this machine.`);
      say('Install it as root with tools/install-suricata.sh (Debian 12/13, Ubuntu 24.04), then run make demo again.');
      say('Continuing with the Endpoints object only.');
      showHere(
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
      step('3. The Endpoints of the shop, and the slices that the server makes of them for DNS and proxies');
      await showEndpoints(ready);
      showDeadAddress();
      farewell(ready, kept);
      done = true;
      return 1;
    }
    showHere(palisade, ['up', '--yes', '--skip-preview', '--stack', stack, '--cwd', shop], engine);
    step('3. The Endpoints of the shop, and the slices that the server makes of them for DNS and proxies');
    await showEndpoints(ready);
    const allShown = showDeadAddress();
    await attackAndReport(ready);
    farewell(ready, kept);
    done = true;
    return allShown ? 0 : 1;
  } finally {
    if (kept && done) child.unref();
    else await stopServer(child);
  }
}

try {
  process.exitCode = await main();
  if (process.env['KEEP'] === '1') process.exit();
} catch (error) {
  console.error(`demo: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
