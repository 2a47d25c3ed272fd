// SPDX-License-Identifier: Apache-2.0
/** A sensor host in a child process within a network namespace of its own, so that UDP 4789 is free and nothing leaves the machine. */
import {type ChildProcess, execFileSync, spawn} from 'node:child_process';
import {chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import type {SensorHealth, SensorSpec} from '@palisade/sensor';
import {expect} from 'vitest';
import {FileSink, type SinkImage} from './file-sink.ts';
import type {LabAnswer, LabError, LabMethods, LabOptions, LabRequest} from './protocol.ts';

const MAIN = fileURLToPath(new URL('./lab-main.ts', import.meta.url));
const NOBODY = 65_534;

const works = (command: string, args: readonly string[]): boolean => {
  try {
    execFileSync(command, [...args], {stdio: 'pipe'});
    return true;
  } catch {
    return false;
  }
};

export const isRoot = process.getuid?.() === 0;

/** Why these tests cannot run here; undefined: they can. */
export const whyNot = ((): string | undefined => {
  if (!works('suricata', ['-V'])) return 'suricata is not installed';
  if (!isRoot) return 'a network namespace needs root';
  return works('unshare', ['-n', 'true']) ? undefined : 'unshare -n is not permitted here';
})();
export const skipReason = whyNot === undefined ? '' : ` (skipped: ${whyNot})`;

export class LabFailure extends Error {
  override readonly name = 'LabFailure';
  readonly code: string | undefined;
  readonly faults: LabError['faults'];

  constructor({message, code, faults}: LabError) {
    super(message);
    this.code = code;
    this.faults = faults;
  }
}

/** A data folder that outlives the process in it. */
export class LabFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'palisade-lab-'));
  readonly sinkFile = join(this.path, 'sink.json');

  constructor() {
    chmodSync(this.path, 0o755); // Suricata's user runs programs that tests put here
  }

  file(name: string, text: string, mode = 0o644): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  options(more: Partial<LabOptions> & {readonly rules: LabOptions['rules']}): LabOptions {
    return {dir: join(this.path, 'data'), driver: 'relay', patternMatcher: 'ac-ks', sinkFile: this.sinkFile, ...more};
  }

  records(): SinkImage {
    return FileSink.read(this.sinkFile) ?? {threats: [], traffic: [], states: []};
  }

  [Symbol.dispose](): void {
    rmSync(this.path, {recursive: true, force: true});
  }
}

/** A network namespace that outlives the laboratories in it. */
export class LabNetwork {
  readonly #holder = spawn('unshare', ['-n', 'sh', '-c', 'ip link set lo up && echo && exec sleep infinity'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });

  static async open(): Promise<LabNetwork> {
    const network = new LabNetwork();
    await new Promise(resolve => network.#holder.stdout?.once('data', resolve));
    return network;
  }

  get pid(): number {
    return this.#holder.pid ?? 0;
  }

  [Symbol.dispose](): void {
    this.#holder.kill('SIGKILL');
  }
}

/** Runs `ip` of iproute2 in the network of this process. */
export const ipIn = (of: {readonly pid: number | undefined}, ...args: readonly string[]): string =>
  execFileSync('nsenter', ['-t', String(of.pid), '-n', 'ip', ...args], {encoding: 'utf8'});

/** Names of the VXLAN devices there. */
export const devicesIn = (of: {readonly pid: number | undefined}): string[] => {
  const text = ipIn(of, '-json', 'link', 'show', 'type', 'vxlan');
  return (JSON.parse(text || '[]') as {ifname?: string}[]).flatMap(({ifname}) => ifname ?? []);
};

/** With the users of this machine. The parent writes the map, and the child waits for it. */
const IN_USER_NAMESPACE = `exec 3<&0
unshare -U sh -c 'until grep -q . /proc/self/uid_map /proc/self/gid_map; do sleep 0.02; done; exec "$@"' sh "$@" <&3 &
until [ "$(readlink /proc/$!/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.02; done
echo 0 0 70000 >/proc/$!/gid_map && echo 0 0 70000 >/proc/$!/uid_map && wait $!`;

export class Lab {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, {resolve: (value: unknown) => void; reject: (error: Error) => void}>();
  readonly #gone: Promise<void>;
  #next = 1;
  #errors = '';
  #ended = false;

  /**
   * `asNobody`: as an ordinary user without any capability but `capabilities` (`net_raw`, …); the folder is given to that user.
   * `within`: in this network, which stays when the process ends; default: in one of its own.
   * `asOtherRoot`: as root of a user namespace that the network does not belong to.
   */
  constructor(
    options: {
      readonly asNobody?: LabFolder;
      readonly capabilities?: readonly string[];
      readonly within?: LabNetwork;
      readonly asOtherRoot?: boolean;
    } = {},
  ) {
    if (options.asNobody !== undefined) chownSync(options.asNobody.path, NOBODY, NOBODY);
    const set = ['-all', ...(options.capabilities ?? []).map(name => `+${name}`)].join(',');
    const drop =
      options.asNobody === undefined
        ? ''
        : `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --bounding-set=${set} --inh-caps=${set} --ambient-caps=${set}`;
    const run = options.asOtherRoot === true ? IN_USER_NAMESPACE : `exec ${drop} "$@"`;
    const script = `ip link set lo up && ${run}`;
    const enter =
      options.within === undefined ? ['unshare', '-n'] : ['nsenter', '-t', String(options.within.pid), '-n'];
    const [command = '', ...args] = [...enter, 'sh', '-c', script, 'sh', process.execPath, MAIN];
    this.#child = spawn(command, args, {stdio: ['pipe', 'pipe', 'pipe']});
    this.#child.stdin?.on('error', () => undefined); // it died: its end is told to every waiting question
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    if (this.#child.stdout !== null)
      createInterface({input: this.#child.stdout}).on('line', line => {
        const {id, result, error} = JSON.parse(line) as LabAnswer;
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (error !== undefined) waiting?.reject(new LabFailure(error));
        else waiting?.resolve(result);
      });
    this.#gone = new Promise(resolve => {
      this.#child.on('close', (code, signal) => {
        for (const {reject} of this.#waiting.values())
          reject(new LabFailure({message: `the laboratory ended (${signal ?? code}): ${this.#errors}`}));
        this.#waiting.clear();
        this.#ended = true;
        resolve();
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  ask<M extends keyof LabMethods>(method: M, ...args: Parameters<LabMethods[M]>): Promise<ReturnType<LabMethods[M]>> {
    const id = this.#next++;
    const request: LabRequest = {id, method, args};
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new LabFailure({message: 'the laboratory has ended'}));
      this.#waiting.set(id, {resolve: value => resolve(value as ReturnType<LabMethods[M]>), reject});
      this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    });
  }

  /** Frames, as VXLAN. */
  send(spec: SensorSpec, frames: readonly Buffer[], perSecond = 1000): Promise<number> {
    return this.ask('send', {
      ip: spec.ip,
      vni: spec.vni,
      frames: frames.map(frame => frame.toString('base64')),
      perSecond,
    });
  }

  async health(spec: SensorSpec): Promise<SensorHealth> {
    const health = await this.ask('health', spec.endpoint);
    if (health === undefined) throw new Error(`no sensor for ${spec.endpoint}`);
    return health;
  }

  /** As power loss would: nothing is told to anybody. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  /** Resolves when the process has ended, of itself or by a crash plan. */
  get gone(): Promise<void> {
    return this.#gone;
  }

  /** Its input ends: it closes what it has. Resolves to its exit code; 1 when something kept it alive. */
  async leave(): Promise<number | null> {
    this.#child.stdin?.end();
    await this.#gone;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }
}

let numbers = 0;
/** A spec with its own name and address. */
export const newSpec = (more: Partial<SensorSpec> = {}): SensorSpec => {
  numbers++;
  return {
    endpoint: `projects/test/locations/local/endpoints/e${numbers}`,
    network: 'projects/test/global/networks/default',
    ip: `127.77.1.${numbers}`,
    vni: 100 + numbers,
    severity: 'INFORMATIONAL',
    threatExceptions: [],
    trafficLogs: false,
    ...more,
  };
};

/** Stops a process; resolves when all its threads stand still, which the signal alone does not wait for. */
export const freeze = async (pid: number): Promise<void> => {
  process.kill(pid, 'SIGSTOP');
  const states = (): string[] =>
    readdirSync(`/proc/${pid}/task`).map(
      thread => /\) (\S)/.exec(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'))?.[1] ?? '',
    );
  await expect.poll(() => [...new Set(states())], {interval: 5, timeout: 5_000}).toEqual(['T']);
};

/** True while the process is there (a zombie is not). */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

/** repeat_count by threat id. */
export const countsOf = (image: SinkImage): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const [, record] of image.threats)
    counts[record.threat_id] = (counts[record.threat_id] ?? 0) + Number(record.repeat_count);
  return counts;
};
