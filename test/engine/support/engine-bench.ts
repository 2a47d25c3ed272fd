// SPDX-License-Identifier: Apache-2.0
/** A scratch project with a program, a state folder and a fake cloud; runs engine commands in this process. */
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {fileURLToPath} from 'node:url';
import {type CliIo, type EngineParts, main} from '@palisade/cli';
import {FakeCloud} from '@palisade/engine/testing';
import {createPlatformProvider, nodeProviderHost} from '@palisade/provider';

const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));
const SDK = fileURLToPath(new URL('../../../build/sdk/node_modules', import.meta.url));
const LEAN_SDK = fileURLToPath(new URL('./lean-sdk.ts', import.meta.url));
const TSCONFIG = '{"compilerOptions": {"module": "nodenext", "moduleResolution": "nodenext", "strict": true}}';

class Collector extends Writable {
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export type Ran = {readonly code: number; readonly out: string; readonly err: string; readonly all: string};

/** Helper classes that programs of these tests start with. */
const PRELUDE = `
const pulumi = require('@pulumi/pulumi');
const cfg = new pulumi.Config();
const keys = {name: undefined, value: undefined, key: undefined, computed: undefined, version: undefined};
class Thing extends pulumi.CustomResource {
  constructor(name, args, opts) { super('fake:index:Thing', name, {...keys, ...args}, opts); }
  static get(name, id) { return new Thing(name, {}, {id}); }
}
class Group extends pulumi.ComponentResource {
  constructor(name, args, opts) { super('fake:index:Group', name, args, opts); }
}
class Fake extends pulumi.ProviderResource {
  constructor(name, args, opts) { super('fake', name, args, opts); }
}
`;

/** The settings of the first stack in this process, with its salt for the passphrase `check`. */
let salted: string | undefined;

export class EngineBench {
  readonly root = mkdtempSync(join(tmpdir(), 'palisade-engine-'));
  readonly folder = join(this.root, 'prog');
  readonly cloud = new FakeCloud();
  env: Record<string, string | undefined>;
  interrupt: (() => void) | undefined;
  /** What commands read from standard input. */
  input: string | undefined;
  /** What is typed at the terminal that commands run in; then it is gone. */
  keys: string | undefined;
  #hasBegun = false;
  /** Providers besides the fake ones. */
  providers: EngineParts['providers'] = {};

  constructor(options: {passphrase?: string | undefined; runtime?: string} = {passphrase: 'check'}) {
    for (const folder of ['prog', 'state', 'home']) mkdirSync(join(this.root, folder));
    symlinkSync(NODE_MODULES, join(this.folder, 'node_modules'));
    const runtime = options.runtime ?? 'runtime: {name: nodejs, options: {typescript: false}}';
    this.write('Pulumi.yaml', `name: proj\n${runtime}\nmain: index.js\n`);
    this.write('package.json', '{"name": "proj", "private": true}');
    this.env = {
      PATH: process.env['PATH'],
      // The SDK is compiled once for all tests, not once per program.
      NODE_COMPILE_CACHE: join(tmpdir(), 'palisade-test-compile-cache'),
      NODE_OPTIONS: `--require=${LEAN_SDK}`,
      HOME: join(this.root, 'home'),
      PULUMI_HOME: join(this.root, 'home'),
      PULUMI_BACKEND_URL: `file://${join(this.root, 'state')}`,
      PULUMI_CONFIG_PASSPHRASE: options.passphrase,
    };
    if (options.passphrase === undefined) delete this.env['PULUMI_CONFIG_PASSPHRASE'];
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /** For programs with the SDK of package `platform`, as `make sdk` installs it, on the API at `server`. */
  usePlatform(server: string): void {
    const modules = join(this.folder, 'node_modules');
    rmSync(modules);
    symlinkSync(SDK, modules);
    this.write('tsconfig.json', TSCONFIG);
    Object.assign(this.env, {PULUMI_NODEJS_TRANSPILE_ONLY: 'true', PALISADE_SERVER: server});
    this.providers = {platform: () => createPlatformProvider(nodeProviderHost(this.env))};
  }

  /** The program's body in JavaScript; Thing, Group, Fake, cfg and pulumi are there. */
  program(body: string): void {
    this.write('index.js', `${PRELUDE}\n${body}\n`);
  }

  async run(...argv: readonly string[]): Promise<Ran> {
    const isTTY = this.keys !== undefined;
    const [stdout, stderr] = [Object.assign(new Collector(), {isTTY}), Object.assign(new Collector(), {isTTY})];
    const typed = this.keys ?? this.input;
    const io: CliIo = {
      stdout,
      stderr,
      stdin: Object.assign(Readable.from(typed === undefined ? [] : [typed]), {isTTY}),
      env: this.env,
      cwd: this.folder,
      engine: {
        providers: {fake: () => this.cloud.provider(), other: () => this.cloud.provider('other'), ...this.providers},
        onInterrupt: listener => {
          const before = this.interrupt;
          this.interrupt = () => {
            before?.();
            listener();
          };
          return () => {
            this.interrupt = before;
          };
        },
      },
    };
    const code = await main(argv, io, () => undefined);
    return {code, out: stdout.text, err: stderr.text, all: stdout.text + stderr.text};
  }

  /** `up --yes --skip-preview`; throws with the output when the exit code is another. */
  async up(code = 0, ...flags: readonly string[]): Promise<Ran> {
    const ran = await this.run('up', '--yes', '--skip-preview', '--non-interactive', ...flags);
    if (ran.code !== code) throw new Error(`up ended with ${ran.code}\n${ran.all}`);
    return ran;
  }

  /** The stack `dev`. Its settings file is there already and holds the salt, if this process has made one: a new key costs 0.2 s. */
  async init(): Promise<void> {
    const settings = join(this.folder, 'Pulumi.dev.yaml');
    const isSalted = !this.#hasBegun && this.env['PULUMI_CONFIG_PASSPHRASE'] === 'check' && !existsSync(settings);
    this.#hasBegun = true;
    if (isSalted && salted !== undefined) writeFileSync(settings, salted);
    const ran = await this.run('stack', 'init', 'dev');
    if (ran.code !== 0) throw new Error(ran.all);
    if (isSalted) salted = readFileSync(settings, 'utf8');
  }

  /** The stored deployment. */
  state(): {resources?: readonly Record<string, never>[]; pending_operations?: readonly unknown[]} {
    const text = readFileSync(join(this.root, 'state/.pulumi/stacks/proj/dev.json'), 'utf8');
    return JSON.parse(text).checkpoint.latest ?? {};
  }

  resource(name: string): Record<string, never> | undefined {
    return this.state().resources?.find(resource => String(resource['urn']).endsWith(`::${name}`));
  }

  remove(): void {
    rmSync(this.root, {recursive: true, force: true});
  }
}
