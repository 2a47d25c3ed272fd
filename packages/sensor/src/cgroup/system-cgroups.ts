// SPDX-License-Identifier: Apache-2.0
import {createHash} from 'node:crypto';
import {readFile, realpath} from 'node:fs/promises';
import type {Log} from '../ports.ts';
import {type ResourceLimits, systemCgroupFiles} from './cgroup-files.ts';
import {type Cgroups, openCgroups} from './cgroups.ts';

/** Names a data folder among all of the machine. */
const idOf = async (dir: string): Promise<string> =>
  createHash('sha256')
    .update(await realpath(dir))
    .digest('hex')
    .slice(0, 8);

/** Control groups of this machine for the sensors of a data folder. */
export const systemCgroups = async (
  dir: string,
  limits: ResourceLimits,
  cannotEnter: string | undefined,
  log: Log,
): Promise<Cgroups> => {
  const textOf = (name: string): Promise<string> => readFile(`/proc/self/${name}`, 'utf8').catch(() => '');
  const own = {cgroup: await textOf('cgroup'), mountinfo: await textOf('mountinfo')};
  const id = await idOf(dir);
  return openCgroups({limits, dir, id, pid: process.pid, cannotEnter, files: systemCgroupFiles, own, log});
};
