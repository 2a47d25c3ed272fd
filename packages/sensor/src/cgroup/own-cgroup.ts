// SPDX-License-Identifier: Apache-2.0
/** Where this process is in each hierarchy of control groups. Ref: cgroups(7), /proc/PID/cgroup; proc_pid_mountinfo(5). */
import {join, posix} from 'node:path';
import type {Controller, Version} from './cgroup-files.ts';

export type OwnCgroup = {readonly version: Version /** Its folder. */; readonly folder: string};

type Mount = {
  readonly version: Version;
  readonly root: string;
  readonly at: string;
  readonly options: readonly string[];
};

/** Spaces and the like are written as octal numbers. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

const mountsOf = (mountinfo: string): readonly Mount[] =>
  mountinfo.split('\n').flatMap(line => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root, at] = before.split(' ');
    const [type, , options = ''] = after.split(' ');
    if (root === undefined || at === undefined || (type !== 'cgroup' && type !== 'cgroup2')) return [];
    const version = type === 'cgroup' ? 1 : 2;
    return [{version, root: unescaped(root), at: unescaped(at), options: options.split(',')} as const];
  });

/** The path below a mount's root; undefined: it is not below it, as in a container that sees a part of the hierarchy. */
const below = (root: string, path: string): string | undefined => {
  const way = posix.relative(root, path);
  return way === '..' || way.startsWith('../') ? undefined : way;
};

/** `cgroup`, `mountinfo`: texts of these files in /proc/self. Undefined: the controller is in no hierarchy that is mounted here. */
export const ownCgroup = (controller: Controller, cgroup: string, mountinfo: string): OwnCgroup | undefined => {
  const lines = cgroup.split('\n').map(line => {
    const [, names = '', ...path] = line.split(':');
    return {names: names.split(','), path: path.join(':'), unified: line.startsWith('0::')};
  });
  const first = lines.find(({names}) => names.includes(controller));
  const found = first ?? lines.find(({unified}) => unified);
  if (found === undefined) return undefined;
  const version = first === undefined ? 2 : 1;
  for (const mount of mountsOf(mountinfo)) {
    const fits = mount.version === version && (version === 2 || mount.options.includes(controller));
    const way = fits ? below(mount.root, found.path) : undefined;
    if (way !== undefined) return {version, folder: join(mount.at, way)};
  }
  return undefined;
};
