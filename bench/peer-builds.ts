// SPDX-License-Identifier: Apache-2.0
/** Programs of others, unmodified, built from their Go modules (bench/peers) into build/peers, and again when what they are built of changed. */
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

const K8S_DISCOVERY_ALONE = 'remove_all_sd,enable_kubernetes_sd';

type Build = {
  /** Arguments of `go build`: the wrapper in its folder, or a command of the module itself. */
  readonly args: readonly string[];
  /** Module whose version the program says: release builds of Kubernetes get it from the linker. */
  readonly versionOf?: string;
  /** Upstream's tests are a test binary. */
  readonly isTests?: boolean;
};

const BUILDS = {
  etcd: {args: ['.']},
  'kube-apiserver': {args: ['.']},
  otelcol: {args: ['.']},
  coredns: {args: ['.']},
  'kube-proxy': {args: ['.']},
  prometheus: {args: ['-tags', K8S_DISCOVERY_ALONE, 'github.com/prometheus/prometheus/cmd/prometheus']},
  promtool: {args: ['-tags', K8S_DISCOVERY_ALONE, 'github.com/prometheus/prometheus/cmd/promtool']},
  'client-go': {args: ['.']},
  kubectl: {args: ['.'], versionOf: 'k8s.io/kubectl'},
  helm: {args: ['helm.sh/helm/v4/cmd/helm']},
  e2e: {args: ['k8s.io/kubernetes/test/e2e'], versionOf: 'k8s.io/kubernetes', isTests: true},
} as const satisfies Readonly<Record<string, Build>>;

export type Peer = keyof typeof BUILDS;
export const PEERS = Object.keys(BUILDS) as readonly Peer[];

/** Version of Kubernetes that a version of its modules belongs to: `v0.37.1` and `v1.37.1` are 1.37.1. */
export const kubernetesVersion = (version: string): string => version.replace(/^v[01]\./, 'v1.');

const requiredVersion = (goMod: string, module: string): string => {
  const line = goMod.split('\n').find(text =>
    text
      .trim()
      .replace(/^require /, '')
      .startsWith(`${module} v`),
  );
  if (line === undefined) throw new Error(`go.mod requires no ${module}`);
  return line
    .trim()
    .split(' ')
    .at(line.trim().startsWith('require ') ? 2 : 1) as string;
};

const versionFlags = (version: string): readonly string[] => {
  const [, minor] = version.split('.');
  const values = {gitVersion: version, gitMajor: '1', gitMinor: minor};
  const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  return ['-ldflags', `-s -w ${flags.join(' ')}`];
};

/** Version of a module in a Go program, which says what it was linked from. Undefined: it is not in there. */
export const linkedVersion = (program: string, module: string): string | undefined => {
  const bytes = readFileSync(program);
  const key = `\t${module}\t`;
  const at = bytes.indexOf(key);
  return at < 0 ? undefined : /\tv[\w.+-]+/.exec(bytes.toString('latin1', at + key.length - 1, at + 160))?.[0].slice(1);
};

/** All arguments of Go but the output, for a module in `dir`. */
const argsOf = (name: Peer, dir: string): readonly string[] => {
  const {args, versionOf, isTests}: Build = BUILDS[name];
  const verb = isTests === true ? ['test', '-c'] : ['build'];
  if (versionOf === undefined) return [...verb, ...args];
  const required = requiredVersion(readFileSync(join(dir, 'go.mod'), 'utf8'), versionOf);
  return [...verb, ...versionFlags(kubernetesVersion(required)), ...args];
};

/** Of everything that a program is built of: arguments, go.mod and go.sum (versions and sums of modules), the sources here. */
const stampOf = (dir: string, args: readonly string[]): string => {
  const hash = createHash('sha256').update(JSON.stringify(args));
  const files = readdirSync(dir, {recursive: true, withFileTypes: true}).filter(file => file.isFile());
  for (const path of files.map(file => join(file.parentPath, file.name)).toSorted()) {
    const bytes = readFileSync(path);
    hash.update(`\n${path.slice(dir.length)} ${bytes.length}\n`).update(bytes);
  }
  return `${hash.digest('hex')}\n`;
};

/** Runs Go in a folder: why it failed, or nothing. */
type RunGo = (args: readonly string[], dir: string) => string | undefined;

const runGo: RunGo = (args, dir) => {
  const done = spawnSync('go', [...args], {cwd: dir, stdio: ['ignore', 'inherit', 'inherit']});
  return done.status === 0 ? undefined : (done.error?.message ?? `exit ${done.status}`);
};

type Places = {readonly modules: string; readonly programs: string; readonly go: RunGo; readonly mayBuild: boolean};

type Builder = {
  /** Its path, built first where it is missing or of other sources (minutes). Undefined: Go is absent or the build failed, reported on stderr. */
  readonly buildPeer: (name: Peer) => string | undefined;
  /** For a suite: its path if it is built of these sources, or if suites may build; and else why the suite is skipped. */
  readonly peerOrWhyNot: (name: Peer) => {readonly path: string; readonly whyNot: string};
};

export const builder = (places: Partial<Places> = {}): Builder => {
  const {modules = resolve('bench/peers'), programs = resolve('build/peers'), go = runGo} = places;
  const {mayBuild = process.env['PALISADE_SOAK'] === '1'} = places;

  const look = (name: Peer) => {
    const [dir, path, stampFile] = [join(modules, name), join(programs, name), join(programs, `${name}.stamp`)];
    const args = argsOf(name, dir);
    const stamp = stampOf(dir, args);
    const isThere = existsSync(path);
    const isFresh = isThere && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
    return {dir, path, stampFile, args, stamp, isThere, isFresh};
  };

  const buildPeer: Builder['buildPeer'] = name => {
    const {dir, path, stampFile, args, stamp, isThere, isFresh} = look(name);
    if (isFresh) return path;
    mkdirSync(programs, {recursive: true});
    console.error(
      `peers: building ${name} from its Go module (minutes)${isThere ? ', the one here is of others' : ''}`,
    );
    rmSync(stampFile, {force: true});
    const [verb = 'build', ...rest] = args;
    const fault = go([verb, '-o', path, ...rest], dir);
    if (fault === undefined) {
      writeFileSync(stampFile, stamp);
      return path;
    }
    console.error(`peers: ${name} could not be built: ${fault}`);
    return undefined;
  };

  const peerOrWhyNot: Builder['peerOrWhyNot'] = name => {
    const {isThere, isFresh} = look(name);
    const path = isFresh || mayBuild ? buildPeer(name) : undefined;
    if (path !== undefined) return {path, whyNot: ''};
    const fault = isThere ? `build/peers/${name} is of other sources` : `no build/peers/${name}`;
    return {path: '', whyNot: `${fault}, make peers builds it`};
  };

  return {buildPeer, peerOrWhyNot};
};
