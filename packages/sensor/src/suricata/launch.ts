// SPDX-License-Identifier: Apache-2.0
/**
 * How a Suricata process is spawned: through `setpriv` of util-linux where it is there. Suricata then has exactly the user and the
 * capabilities that its capture needs, none more can be gained, and it ends when the server does, also when that is killed.
 *
 * A server that is not root hands on only what its own ambient set has. Ref: setpriv(1), capabilities(7), prctl(2) PR_SET_PDEATHSIG.
 */
import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {withTimerSlack} from './timer-slack.ts';

export type RunAs = {readonly uid: number; readonly gid: number};

/** By its number. Ref: linux/capability.h. */
export const CAPABILITIES = {net_admin: 12, net_raw: 13} as const;
export type Capability = keyof typeof CAPABILITIES;

export type Launcher = {
  /** The user to run as; undefined: as the server, which is not root. */
  readonly runAs: RunAs | undefined;
  /** Path of setpriv; undefined: it is not there, or may not do here what it is for. */
  readonly setpriv: string | undefined;
};

export type Command = {
  readonly path: string;
  readonly args: readonly string[];
  readonly user: RunAs | undefined;
};

export type LaunchOptions = {
  readonly path: string;
  readonly args: readonly string[];
  /** The working folder; entered before the user changes. */
  readonly folder: string;
  /** What the process keeps of the server's rights. */
  readonly capabilities: readonly Capability[];
  /** How late its timed sleeps may end; undefined: as ours. */
  readonly timerSlackNs: number | undefined;
  /** Files by which it enters control groups; default: none. */
  readonly cgroupProcs?: readonly string[] | undefined;
};

const SETPRIV_PLACES = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/sbin/setpriv', '/sbin/setpriv'];
const PROBE_TIMEOUT_MS = 10_000;
const ENVIRONMENT = {PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC'};

/** The server's death is the child's SIGTERM: it writes what it knows of open flows and ends. */
const setprivArgs = (runAs: RunAs | undefined, capabilities: readonly Capability[]): string[] => {
  const set = ['-all', ...capabilities.map(name => `+${name}`)].join(',');
  const user =
    runAs === undefined
      ? []
      : ['--reuid', String(runAs.uid), '--regid', String(runAs.gid), '--clear-groups', `--bounding-set=${set}`];
  return [...user, `--inh-caps=${set}`, `--ambient-caps=${set}`, '--no-new-privs', '--pdeathsig', 'TERM', '--'];
};

/** What is spawned to run a program with these rights. */
export const commandOf = (
  launcher: Launcher,
  path: string,
  args: readonly string[],
  capabilities: readonly Capability[],
): Command =>
  launcher.setpriv === undefined
    ? {path, args, user: launcher.runAs}
    : {
        path: launcher.setpriv,
        args: [...setprivArgs(launcher.runAs, capabilities), path, ...args],
        user: undefined,
      };

/** Enters the groups first, with the server's rights: what it allocates from its first byte is counted there. */
const ENTER = 'until [ "$1" = -- ]; do echo $$ >"$1" || exit 1; shift; done; shift; exec "$@"';
const entering = (procs: readonly string[], {path, args, user}: Command): Command =>
  procs.length === 0
    ? {path, args, user}
    : {path: '/bin/sh', args: ['-c', ENTER, 'sh', ...procs, '--', path, ...args], user};

/** Why a process cannot be put in a control group before it changes its user; undefined: it can. */
export const whyNoCgroup = ({runAs, setpriv}: Launcher): string | undefined =>
  runAs !== undefined && setpriv === undefined
    ? 'the program setpriv (util-linux 2.33 or newer) is missing or not permitted'
    : undefined;

/** A group of its own: a Ctrl-C meant for the server does not end it before its input is drained. */
export const launch = (launcher: Launcher, options: LaunchOptions): ChildProcess => {
  const command = commandOf(launcher, options.path, options.args, options.capabilities);
  const {path, args, user} = entering(options.cgroupProcs ?? [], command);
  const fork = (): ChildProcess =>
    spawn(path, [...args], {
      cwd: options.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: ENVIRONMENT,
      ...(user === undefined ? {} : {uid: user.uid, gid: user.gid}),
    });
  return options.timerSlackNs === undefined ? fork() : withTimerSlack(options.timerSlackNs, fork);
};

/** Undefined: it ran. Otherwise what it said. */
const tryCommand = ({path, args}: Command): Promise<string | undefined> =>
  new Promise(resolve => {
    execFile(path, [...args], {timeout: PROBE_TIMEOUT_MS, env: ENVIRONMENT}, (error, _, stderr) =>
      resolve(error === null ? undefined : stderr.trim() || error.message),
    );
  });

/** Once per server. `places`: where setpriv may be. */
export const findLauncher = async (runAs: RunAs | undefined, places = SETPRIV_PLACES): Promise<Launcher> => {
  for (const setpriv of places) {
    const launcher: Launcher = {runAs, setpriv};
    if ((await tryCommand(commandOf(launcher, '/bin/true', [], []))) === undefined) return launcher;
  }
  return {runAs, setpriv: undefined};
};

/** Why a process cannot be given these capabilities here; undefined: it can. */
export const whyNoCapabilities = async (
  launcher: Launcher,
  capabilities: readonly Capability[],
): Promise<string | undefined> => {
  if (launcher.setpriv === undefined)
    return 'the program setpriv (util-linux 2.33 or newer) is missing or not permitted: install it';
  const words = await tryCommand(commandOf(launcher, '/bin/true', [], capabilities));
  return words === undefined
    ? undefined
    : `${capabilityNames(capabilities)} not permitted (${words}): start the server as root, or give it that as an ambient capability`;
};

/** `CAP_NET_RAW and CAP_NET_ADMIN`. */
export const capabilityNames = (capabilities: readonly Capability[]): string =>
  capabilities.map(name => `CAP_${name.toUpperCase()}`).join(' and ');

/** Capabilities of `wanted` that this process lacks: in its effective set, or `ambient`, which children inherit. */
export const missingCapabilities = async (
  wanted: readonly Capability[],
  set: 'CapEff' | 'CapAmb',
): Promise<readonly Capability[]> => {
  const status = await readFile('/proc/self/status', 'latin1').catch(() => '');
  const bits = BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`);
  return wanted.filter(name => (bits & (1n << BigInt(CAPABILITIES[name]))) === 0n);
};
