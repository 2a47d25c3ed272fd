// SPDX-License-Identifier: Apache-2.0
/**
 * A control group for each Suricata, below the server's own, with the limits of memory and processor time.
 *
 * I1 A limit that cannot be set is reported with its reason; the sensors run without it. I2 Groups are named after the data folder: those
 * that a crash left are removed at the start, another server's are not touched. I3 A Suricata is in its group before it is Suricata.
 */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Log} from '../ports.ts';
import {replaceFile} from '../replace-file.ts';
import {messageOf, systemCode} from '../sensor-error.ts';
import {
  type CgroupFiles,
  CONTROLLERS,
  type Controller,
  oomKillsIn,
  PROCS_FILE,
  type ResourceLimits,
} from './cgroup-files.ts';
import {delegate} from './delegate.ts';
import {type OwnCgroup, ownCgroup} from './own-cgroup.ts';

export type Cgroup = {
  /** Files that a process enters it by. */
  readonly procs: readonly string[];
  /** After its process has ended: removes it. Resolves to words if that was killed for its memory. Never rejects. */
  readonly end: () => Promise<string | undefined>;
};

export type Cgroups = {
  /** In force. */
  readonly limits: ResourceLimits;
  /** Limits that are not in force, each with its reason. */
  readonly missing: readonly string[];
  /** Removes what a crash left; no Suricata of ours runs. Never rejects. */
  readonly clear: () => Promise<void>;
  /** `name`: unique among the sensors. Rejects if the limits cannot be set now. */
  readonly make: (name: string) => Promise<Cgroup>;
};

export type CgroupsOptions = {
  readonly limits: ResourceLimits;
  /** Data folder of the sensors. */
  readonly dir: string;
  /** Names the data folder, among all of the machine. */
  readonly id: string;
  readonly pid: number;
  /** Why no process can be put in a group; undefined: it can. */
  readonly cannotEnter: string | undefined;
  readonly files: CgroupFiles;
  /** Texts of /proc/self/cgroup and /proc/self/mountinfo. */
  readonly own: {readonly cgroup: string; readonly mountinfo: string};
  readonly log: Log;
};

type Base = OwnCgroup & {readonly controllers: readonly Controller[]};

/** Where groups of this data folder have been: the server's own group is another after a restart. */
const BASES_FILE = 'cgroups.json';
const MIB = 2 ** 20;
const NOTHING: Cgroup = {procs: [], end: async () => undefined};

const limitInWords = (controller: Controller, limits: ResourceLimits): string =>
  controller === 'memory'
    ? `memory limit of ${Math.round((limits.memoryMax ?? 0) / MIB)} MiB (--sensor-memory-max)`
    : `processor limit of ${limits.cpuMax} cores (--sensor-cpu-max)`;

const readBases = async (dir: string): Promise<readonly string[]> => {
  try {
    const value: unknown = JSON.parse(await readFile(join(dir, BASES_FILE), 'utf8'));
    return Array.isArray(value) ? value.filter(path => typeof path === 'string') : [];
  } catch {
    return []; // none yet, or damaged: a group without processes costs nearly nothing
  }
};

/** One folder per hierarchy. */
const grouped = (found: ReadonlyMap<Controller, OwnCgroup>): Base[] => {
  const bases: Base[] = [];
  for (const [controller, {version, folder}] of found) {
    const same = bases.findIndex(base => base.folder === folder);
    const {controllers = []} = bases[same] ?? {};
    bases.splice(same < 0 ? bases.length : same, 1, {version, folder, controllers: [...controllers, controller]});
  }
  return bases;
};

const writeLimits = async (folder: string, base: Base, limits: ResourceLimits, files: CgroupFiles): Promise<void> => {
  for (const controller of base.controllers) {
    const {limit, table} = CONTROLLERS[controller];
    for (const {file, text, optional} of table[base.version].limits)
      await files.write(join(folder, file), text(limits[limit] ?? 0)).catch((error: unknown) => {
        if (optional !== true || systemCode(error) !== 'ENOENT') throw error;
      });
  }
};

const removeGroup = (folder: string, {files, log}: CgroupsOptions): Promise<void> =>
  files.rmdir(folder).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') log.debug({folder, error: messageOf(error)}, 'cgroup not removed');
  });

const oomKills = async (folder: string, base: Base, files: CgroupFiles): Promise<number> => {
  const {oomKills: file} = CONTROLLERS.memory.table[base.version];
  if (file === undefined || !base.controllers.includes('memory')) return 0;
  return oomKillsIn(await files.read(join(folder, file)).catch(() => ''));
};

/** Why the kernel does not take the limits of a controller below the server's own group, as found out by trying; undefined: it does. */
const whyNotTaken = async (
  controller: Controller,
  place: OwnCgroup,
  {limits, id, files}: CgroupsOptions,
): Promise<string | undefined> => {
  const probe = join(place.folder, `palisade-${id}-probe`);
  try {
    await files.mkdir(probe);
    await writeLimits(probe, {...place, controllers: [controller]}, limits, files);
    return undefined;
  } catch (error) {
    const code = systemCode(error) ?? messageOf(error);
    return `the kernel does not take it in the cgroup ${place.folder} (${code}): set no more than the limit of that cgroup itself`;
  } finally {
    await files.rmdir(probe).catch(() => undefined);
  }
};

/** Which limits can be in force, and why others cannot. Changes nothing but the server's place in a version 2 hierarchy. */
const findBases = async (options: CgroupsOptions): Promise<{bases: Base[]; missing: string[]}> => {
  const {limits, own, cannotEnter} = options;
  const missing: string[] = [];
  const found = new Map<Controller, OwnCgroup>();
  const miss = (controller: Controller, why: string): void => {
    found.delete(controller);
    missing.push(`${limitInWords(controller, limits)} is not in force: ${why}`);
  };
  for (const controller of Object.keys(CONTROLLERS) as Controller[]) {
    if (limits[CONTROLLERS[controller].limit] === undefined) continue;
    const place = ownCgroup(controller, own.cgroup, own.mountinfo);
    if (cannotEnter !== undefined) miss(controller, cannotEnter);
    else if (place === undefined)
      miss(controller, `no cgroup hierarchy with the controller "${controller}" is mounted`);
    else found.set(controller, place);
  }
  for (const base of grouped(found)) {
    const why = await delegate(base, options);
    for (const controller of base.controllers)
      if (why(controller) !== undefined) miss(controller, why(controller) ?? '');
  }
  for (const [controller, place] of [...found]) {
    const why = await whyNotTaken(controller, place, options);
    if (why !== undefined) miss(controller, why);
  }
  return {bases: grouped(found), missing};
};

/** Finds out what is permitted, and says in the log what is not. */
export const openCgroups = async (options: CgroupsOptions): Promise<Cgroups> => {
  const {limits, dir, id, files, log} = options;
  const prefix = `palisade-${id}-`;
  const earlier = await readBases(dir);
  const {bases, missing} = await findBases(options);
  if (missing.length > 0) log.warn({missing}, 'resource limits of the sensors not in force');
  const folders = bases.map(({folder}) => folder);
  if (folders.length > 0) await replaceFile(join(dir, BASES_FILE), JSON.stringify(folders));
  const isInForce = (controller: Controller): boolean => bases.some(base => base.controllers.includes(controller));
  return {
    limits: {
      memoryMax: isInForce('memory') ? limits.memoryMax : undefined,
      cpuMax: isInForce('cpu') ? limits.cpuMax : undefined,
    },
    missing,
    clear: async () => {
      for (const folder of new Set([...earlier, ...folders])) {
        const names = await files.folders(folder).catch(() => []);
        for (const name of names) if (name.startsWith(prefix)) await removeGroup(join(folder, name), options);
      }
    },
    make: async name => {
      if (bases.length === 0) return NOTHING;
      const groups = bases.map(base => ({base, folder: join(base.folder, prefix + name)}));
      try {
        for (const {base, folder} of groups) {
          await removeGroup(folder, options); // its limits and counters begin from nothing
          await files.mkdir(folder);
          await writeLimits(folder, base, limits, files);
        }
      } catch (error) {
        for (const {folder} of groups) await removeGroup(folder, options);
        throw error;
      }
      return {
        procs: groups.map(({folder}) => join(folder, PROCS_FILE)),
        end: async () => {
          let kills = 0;
          for (const {base, folder} of groups) {
            kills += await oomKills(folder, base, files);
            await removeGroup(folder, options);
          }
          return kills > 0 ? `it reached the ${limitInWords('memory', limits)}: raise the limit` : undefined;
        },
      };
    },
  };
};
