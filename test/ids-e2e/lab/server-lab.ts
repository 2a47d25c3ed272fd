// SPDX-License-Identifier: Apache-2.0
/** The real server with real sensors in a network namespace of its own, so that UDP 4789 is free and nothing leaves the machine. */
import {type ChildProcess, spawn} from 'node:child_process';
import {chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync} from 'node:fs';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {type Answer, type Json, RestClient} from '../../ids/rest-client.ts';
import {forwarder} from './forwarder.ts';
import type {CommandResult, LabQuestion, LabReply, PlainAnswer} from './protocol.ts';

const MAIN = fileURLToPath(new URL('./lab-main.ts', import.meta.url));
/** Of VXLAN and GENEVE, as the kernel prints them. */
const PORTS = [4789, 6081].map(port => `:${port.toString(16).toUpperCase()} `);

/** A REST client whose requests are made inside the laboratory. */
class LabClient extends RestClient {
  readonly #lab: ServerLab;

  constructor(lab: ServerLab) {
    super('http://laboratory');
    this.#lab = lab;
  }

  override async call(
    method: string,
    path: string,
    query: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> {
    const search = new URLSearchParams(query).toString();
    const full = `${path.startsWith('/') ? '' : '/v1/'}${path}${search === '' ? '' : `?${search}`}`;
    const http = {method, path: full, body: body === undefined ? undefined : JSON.stringify(body)};
    const {status, headers, text} = (await this.#lab.ask({http})) as PlainAnswer;
    const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    const isJson = (all.get('content-type') ?? '').startsWith('application/json');
    return {status, headers: all, text, body: isJson && text !== '' ? JSON.parse(text) : undefined};
  }
}

export class ServerLab {
  readonly rest: RestClient = new LabClient(this);
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #waiting = new Map<number, {resolve: (value: unknown) => void; reject: (error: Error) => void}>();
  readonly #gone: Promise<void>;
  #next = 1;
  #pid = 0;
  #errors = '';

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    child.stdin?.on('error', () => undefined); // it died: its end is told to every waiting question
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    if (child.stdout !== null)
      createInterface({input: child.stdout}).on('line', line => {
        const {id, result, error} = JSON.parse(line) as LabReply;
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (error === undefined) waiting?.resolve(result);
        else waiting?.reject(new Error(error));
      });
    this.#gone = new Promise(resolve => {
      child.on('close', (code, signal) => {
        const error = new Error(`the laboratory ended (${signal ?? code}): ${this.#errors}`);
        for (const {reject} of this.#waiting.values()) reject(error);
        this.#waiting.clear();
        resolve();
      });
    });
  }

  /**
   * `rules`: the text of a rule file; undefined: the bundled rules.
   * `access`: flags for who may use which API; default: everybody, the IDS API alone.
   */
  static async open(
    options: {readonly rules?: string; readonly flags?: readonly string[]; readonly access?: readonly string[]} = {},
  ): Promise<ServerLab> {
    const folder = mkdtempSync(join(tmpdir(), 'palisade-ids-e2e-'));
    chmodSync(folder, 0o755); // Suricata runs as another user
    const file = join(folder, 'test.rules');
    if (options.rules !== undefined) writeFileSync(file, options.rules);
    const flags = [
      ...['--data', join(folder, 'data'), '--http', '127.0.0.1:0'],
      ...(options.access ?? ['--auth', 'none', '--apis', 'ids']),
      ...['--driver', 'relay', '--log-level', 'warn', ...(options.rules === undefined ? [] : ['--rules', file])],
      ...(options.flags ?? []),
    ];
    const script = 'ip link set lo up && exec "$@"';
    const child = spawn('unshare', ['-n', 'sh', '-c', script, 'sh', process.execPath, MAIN, ...flags], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const lab = new ServerLab(child, folder);
    const up = await new Promise<unknown>((resolve, reject) => lab.#waiting.set(0, {resolve, reject}));
    lab.#pid = (up as {pid: number}).pid;
    return lab;
  }

  ask(question: Omit<LabQuestion, 'id'>): Promise<unknown> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#child.stdin?.write(`${JSON.stringify({id, ...question})}\n`);
    });
  }

  /** Of the server, for programs that enter its network namespace. */
  get pid(): number {
    return this.#pid;
  }

  /** How many went out, as VXLAN. */
  async send(to: {ip: string; vni: number}, frames: readonly Buffer[], perSecond = 400): Promise<number> {
    const texts = frames.map(frame => frame.toString('base64'));
    return Number(await this.ask({send: {...to, frames: texts, perSecond}}));
  }

  /** A command, run inside the laboratory against its server. */
  async palisade(...words: readonly string[]): Promise<CommandResult> {
    return (await this.ask({palisade: words})) as CommandResult;
  }

  async health(endpoint: string): Promise<Json> {
    return (await this.rest.get(`${endpoint}/health`)).body;
  }

  /** A port of the server on 127.0.0.1 outside of the laboratory: its number there. */
  async forward(port: 'http' | 'https'): Promise<number> {
    const socket = join(this.#folder, `${port}.sock`);
    await this.ask({forward: {socket, port}});
    const listener = forwarder({path: socket});
    await new Promise<void>((done, fail) => listener.once('error', fail).listen(0, '127.0.0.1', done));
    return (listener.address() as AddressInfo).port;
  }

  /** What sensors leave behind when they are not tidied away: by kind. */
  leftBehind(): {readonly processes: string[]; readonly sockets: string[]; readonly folders: string[]} {
    return {
      processes: readdirSync('/proc').filter(name => /^\d+$/.test(name) && this.#isSensor(name)),
      sockets: readFileSync(`/proc/${this.#pid}/net/udp`, 'latin1')
        .split('\n')
        .filter(line => PORTS.some(port => line.includes(port))),
      folders: readdirSync(join(this.#folder, 'data', 'sensors', 'endpoints')),
    };
  }

  /** A process that works in the sensors' folder. */
  #isSensor(pid: string): boolean {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(join(this.#folder, 'data', 'sensors'));
    } catch {
      return false; // ended meanwhile
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#gone;
    rmSync(this.#folder, {recursive: true, force: true});
  }
}
