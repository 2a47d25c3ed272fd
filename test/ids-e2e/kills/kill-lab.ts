// SPDX-License-Identifier: Apache-2.0
/** One data folder, its server (or none, between two lives), its endpoint with the load on it, and the witness. */
import {chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {type Json, RestClient} from '../../ids/rest-client.ts';
import {SEVERITY_RULES} from '../../sensor/lab/rules.ts';
import {type RunningServer, serve} from '../../support/palisade.ts';
import {EveWitness} from './eve-witness.ts';
import {judge, type Stored} from './judge.ts';
import {ENDPOINT, Load, sendExactly, type Target, verdictOf} from './load.ts';

const PARENT = 'projects/p/locations/local';
const NAME = `${PARENT}/endpoints/e1`;
const SMALL_LIMITS = fileURLToPath(new URL('./small-limits.ts', import.meta.url));
const LOOK_MS = 10;
const POLL_MS = 50;
/** Until an endpoint is READY again, and until all that was written is stored. */
const READY_MS = 60_000;
const SETTLED_MS = 30_000;
/** A rotation, or a change of the record store's files, comes within this time or is not waited for. */
const AWAIT_MS = 3_000;
const LOG_CHARS = 4_000;
/** Never full here, and so small that the record store begins a new file every 6 MiB. */
const BUDGET = '192MiB';

const ended = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

const killNow = (pid: number | undefined): void => {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  } catch {} // it ended by itself
};

export class KillLab {
  readonly #folder = mkdtempSync(join(tmpdir(), 'palisade-kills-'));
  readonly #random: () => number;
  readonly #marks = new Set<string>();
  readonly #old: EveWitness[] = [];
  #witness: EveWitness;
  #looking: NodeJS.Timeout | undefined;
  #server: RunningServer | undefined;
  #rest = new RestClient('');
  #target: Target = {ip: '', vni: 0};
  #suricata: number | undefined;
  #load: Load | undefined;
  /** Of the server, since the endpoint was created. */
  #restarts = 0;
  #sinceMs = 0;
  #errors = '';
  readonly #sums = {sent: 0, alerts: 0, lost: 0, serverKills: 0, suricataKills: 0, files: 0, torn: 0, endpoints: 0};

  constructor(random: () => number) {
    this.#random = random;
    chmodSync(this.#folder, 0o755); // Suricata runs as another user
    writeFileSync(join(this.#folder, 'test.rules'), SEVERITY_RULES);
    this.#witness = new EveWitness(this.#endpoints, this.#marks);
  }

  get #endpoints(): string {
    return join(this.#folder, 'data', 'sensors', 'endpoints');
  }

  async open(): Promise<void> {
    this.#looking = setInterval(() => this.#witness.look(), LOOK_MS);
    await this.#serve();
    await this.#create();
  }

  async #serve(): Promise<void> {
    const flags = [
      ...['--data', join(this.#folder, 'data'), '--http', '127.0.0.1:0', '--auth', 'none', '--apis', 'ids'],
      ...['--driver', 'relay', '--log-level', 'warn', '--rules', join(this.#folder, 'test.rules')],
      ...['threats', 'traffic', 'evidence'].flatMap(budget => [`--${budget}-bytes`, BUDGET]),
    ];
    this.#server = await serve(flags, {env: {NODE_OPTIONS: `--import=${SMALL_LIMITS}`}});
    this.#rest = new RestClient(this.#server.ready.http);
  }

  async #create(): Promise<void> {
    this.#sinceMs = Date.now();
    this.#restarts = 0;
    this.#sums.endpoints++;
    const endpoint = await this.#rest.created(PARENT, 'e1', ENDPOINT);
    await this.#ready();
    this.#target = {ip: endpoint.endpointIp, vni: (await this.#health()).vni};
  }

  async #health(): Promise<Json> {
    return (await this.#rest.get(`${NAME}/health`)).body;
  }

  /** READY, with a Suricata that runs. */
  async #ready(): Promise<void> {
    const from = Date.now();
    for (;;) {
      const health = await this.#health();
      if (health?.status === 'READY' && health.pid !== undefined) {
        this.#suricata = health.pid;
        return;
      }
      if (Date.now() - from > READY_MS) throw new Error(`the endpoint is not READY: ${JSON.stringify(health)}`);
      await delay(POLL_MS);
    }
  }

  pass(ms: number): Promise<void> {
    return delay(ms);
  }

  beginLoad(burstMax: number): void {
    this.#load = new Load(this.#target, this.#random, burstMax);
  }

  async #endLoad(): Promise<void> {
    await this.#load?.stop();
    this.#sums.sent += this.#load?.sent ?? 0;
    this.#load = undefined;
  }

  /** The server goes on, and starts another one. */
  async killSuricata(): Promise<void> {
    const {restarts} = await this.#health();
    this.#sums.suricataKills++;
    killNow(this.#suricata);
    const from = Date.now();
    while ((await this.#health()).restarts === restarts && Date.now() - from < READY_MS) await delay(POLL_MS);
    await this.#ready();
  }

  /** The server is dead when it resolves. */
  async kill(victims: readonly ('server' | 'suricata')[], gapMs = 0): Promise<void> {
    for (const [index, victim] of victims.entries()) {
      if (index > 0) await delay(gapMs);
      if (victim === 'suricata') killNow(this.#suricata);
      else this.#server?.child.kill('SIGKILL');
      this.#sums[victim === 'suricata' ? 'suricataKills' : 'serverKills']++;
    }
    await this.#gone();
  }

  async #gone(): Promise<void> {
    await this.#server?.stop('SIGKILL');
    this.#errors = this.#server?.stderr() ?? '';
    this.#server = undefined;
    this.#restarts++;
  }

  async stopServer(): Promise<void> {
    await this.#server?.stop('SIGTERM');
    await this.#gone();
  }

  /** Starts a server and kills it so long after: while it makes its files, waits for the last Suricata, or reads what that one left. */
  async killStarting(afterMs: number): Promise<void> {
    const server = this.#serve().catch(() => undefined);
    await Promise.race([delay(afterMs + 600), server.then(() => delay(afterMs))]);
    this.#sums.serverKills++;
    await server; // the command resolves with its ready line, or when it has ended
    await this.#gone();
  }

  /** When another EVE file has come. */
  async rotated(): Promise<void> {
    const {files} = this.#witness;
    for (const from = Date.now(); this.#witness.files === files && Date.now() - from < AWAIT_MS; ) await delay(1);
  }

  /** When a file of the record store has come, has gone, or has become shorter. */
  async journalChanged(): Promise<void> {
    const folder = join(this.#folder, 'data', 'records');
    const sizes = (): Map<string, number> =>
      new Map(
        (existsSync(folder) ? readdirSync(folder) : []).map(name => [
          name,
          statSync(join(folder, name), {throwIfNoEntry: false})?.size ?? 0,
        ]),
      );
    let before = sizes();
    for (const from = Date.now(); Date.now() - from < AWAIT_MS; ) {
      await delay(1);
      const now = sizes();
      if (now.size !== before.size || [...now].some(([name, size]) => size < (before.get(name) ?? 0))) return;
      before = now;
    }
  }

  /** Asks for it, and does not wait. */
  async beginDelete(): Promise<void> {
    void this.#rest.delete(NAME).catch(() => undefined);
    await delay(0);
  }

  /** With a server that has read everything: what is wrong. `deleted`: its endpoint goes, and another one of the name comes. */
  async settle(deleted: boolean): Promise<string[]> {
    await this.#endLoad();
    if (this.#server === undefined) await this.#serve();
    if (!deleted) await this.#ready();
    else await this.#endDelete();
    const faults = await this.#settled(deleted);
    if (!deleted || faults.length > 0) return faults;
    await this.#nextEndpoint();
    return this.#settled(false);
  }

  async #endDelete(): Promise<void> {
    const {status} = await this.#rest.get(NAME);
    if (status === 200) await this.#rest.delete(NAME); // the kill was faster, or it is under way
    for (const from = Date.now(); (await this.#rest.get(NAME)).status !== 404; ) {
      if (Date.now() - from > READY_MS) throw new Error('the endpoint is not gone');
      await delay(POLL_MS);
    }
  }

  async #nextEndpoint(): Promise<void> {
    this.#old.push(this.#witness);
    this.#witness = new EveWitness(this.#endpoints, this.#marks);
    await this.#create();
    await sendExactly(this.#target, this.#random, 40);
  }

  /** Faults that stay, with those that there were at first. */
  async #settled(deleted: boolean): Promise<string[]> {
    let first: string[] | undefined;
    for (const from = Date.now(); ; await delay(POLL_MS * 4)) {
      const faults = await this.#judge(deleted);
      if (faults.length === 0) return [];
      first ??= faults;
      if (Date.now() - from > SETTLED_MS) return [...faults, ...first.map(fault => `at first: ${fault}`)];
    }
  }

  async #judge(deleted: boolean): Promise<string[]> {
    this.#witness.read();
    const [alertsMin, flowsMin] = [this.#witness.alerts.length, this.#witness.flows.length];
    const stored = await this.#stored(deleted);
    this.#witness.read();
    if (alertsMin !== this.#witness.alerts.length) return ['alerts still come'];
    const known = (id: string): string => id.split('-')[1] ?? '';
    const strangers = [...stored.threats, ...stored.traffic].filter(
      ({id}) => ![this.#witness, ...this.#old].some(({names}) => names.has(known(id))),
    );
    const own = <T extends {readonly id: string}>(rows: readonly T[]): T[] =>
      rows.filter(({id}) => this.#witness.names.has(known(id)));
    const mine = {...stored, threats: own(stored.threats), traffic: own(stored.traffic)};
    const dropped = (stored.counts?.records.threatsDropped ?? 0) + (stored.counts?.records.trafficDropped ?? 0);
    return [
      ...(dropped === 0 ? [] : [`retention took ${dropped} records`]),
      ...(strangers.length === 0 ? [] : [`records of no file: ${strangers.length} (${strangers[0]?.id})`]),
      ...judge(this.#witness, mine, {restarts: this.#restarts, verdictOf, flowsMin}),
    ];
  }

  async #stored(deleted: boolean): Promise<Stored> {
    const since = new Date(this.#sinceMs - 60_000).toISOString();
    const rows = async (kind: string): Promise<Json[]> => {
      const {status, text} = await this.#rest.get(`${NAME}/${kind}`, {format: 'ndjson', since});
      if (status !== 200) throw new Error(`${kind}: ${status} ${text}`);
      return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line)]));
    };
    return {
      threats: await rows('threats'),
      traffic: await rows('traffic'),
      counts: deleted ? undefined : await this.#health(),
    };
  }

  /** So many packets without any kill: so many alerts. */
  async exactly(count: number): Promise<string[]> {
    const before = this.#witness.alerts.length;
    await sendExactly(this.#target, this.#random, count);
    const come = (): number => {
      this.#witness.read();
      return this.#witness.alerts.length - before;
    };
    for (const from = Date.now(); come() < count && Date.now() - from < SETTLED_MS; ) await delay(POLL_MS);
    const faults = await this.#settled(false);
    return come() === count ? faults : [`${come()} alerts of ${count} packets`, ...faults];
  }

  figures(): object {
    const {alerts, flows, runs, files, torn} = this.#witness;
    return {alerts: alerts.length, flows: flows.length, runs: runs.length, files, torn, restarts: this.#restarts};
  }

  totals(): object {
    const all = [...this.#old, this.#witness];
    const sum = (of: (witness: EveWitness) => number): number => all.reduce((total, each) => total + of(each), 0);
    return {
      ...this.#sums,
      alerts: sum(({alerts}) => alerts.length),
      flows: sum(({flows}) => flows.length),
      files: sum(({files}) => files),
      torn: sum(({torn}) => torn),
      lost: sum(({runs}) => runs.reduce((total, {missing}) => total + missing, 0)),
    };
  }

  /** What the server said last. */
  log(): string {
    return (this.#server?.stderr() ?? this.#errors).slice(-LOG_CHARS);
  }

  async close(keep: boolean): Promise<void> {
    clearInterval(this.#looking);
    await this.#load?.stop();
    await this.#server?.stop('SIGKILL');
    for (
      const from = Date.now();
      this.#suricata !== undefined && !ended(this.#suricata) && Date.now() - from < READY_MS;
    )
      await delay(POLL_MS);
    for (const witness of [...this.#old, this.#witness]) witness.close();
    if (keep) process.stderr.write(`${this.#folder}\n`);
    else rmSync(this.#folder, {recursive: true, force: true});
  }
}
