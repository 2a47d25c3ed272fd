// SPDX-License-Identifier: Apache-2.0
/**
 * Whether groups with limits can be made below the server's own group.
 *
 * Version 2: a group with processes cannot hand controllers to groups below it. The server then moves into a group of its own below; in a
 * systemd service with `Delegate=yes` it is alone, and that suffices. Ref: Linux admin-guide/cgroup-v2, "No Internal Process Constraint".
 */
import {join} from 'node:path';
import {systemCode} from '../sensor-error.ts';
import {type CgroupFiles, type Controller, PROCS_FILE} from './cgroup-files.ts';
import type {OwnCgroup} from './own-cgroup.ts';

type Options = {readonly id: string; readonly pid: number; readonly files: CgroupFiles};
type Base = OwnCgroup & {readonly controllers: readonly Controller[]};

const HANDED_ON = 'cgroup.subtree_control';
const WAY_OUT = 'run palisade as a systemd service with Delegate=yes, or as root';

const words = (text: string): readonly string[] => text.split(/\s+/).filter(word => word !== '');

const whyRefused = (folder: string, error: unknown): string => {
  const code = systemCode(error) ?? String(error);
  return `the cgroup ${folder} cannot be changed (${code}): ${WAY_OUT}`;
};

/** Undefined: controllers are handed on to the groups below. */
const handOn = async (
  base: Base,
  wanted: readonly Controller[],
  {id, pid, files}: Options,
): Promise<string | undefined> => {
  const {folder} = base;
  const file = join(folder, HANDED_ON);
  const text = wanted.map(controller => `+${controller}`).join(' ');
  const isBusy = (error: unknown): boolean => systemCode(error) === 'EBUSY';
  const first = await files.write(file, text).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (first === undefined) return undefined;
  if (!isBusy(first)) return whyRefused(folder, first);
  const leaf = join(folder, `palisade-${id}-server`);
  try {
    await files.mkdir(leaf);
    await files.write(join(leaf, PROCS_FILE), String(pid));
    await files.write(file, text);
    return undefined;
  } catch (error) {
    await files.write(join(folder, PROCS_FILE), String(pid)).catch(() => {}); // back: half a move helps nobody
    await files.rmdir(leaf).catch(() => {});
    return isBusy(error)
      ? `other processes are in the cgroup ${folder}: ${WAY_OUT.replace(', or as root', '')}`
      : whyRefused(folder, error);
  }
};

/** Resolves to why a controller cannot limit groups below `base`; undefined: it can. */
export const delegate = async (
  base: Base,
  options: Options,
): Promise<(controller: Controller) => string | undefined> => {
  const {folder, version, controllers} = base;
  const {files, id} = options;
  const probe = join(folder, `palisade-${id}-probe`);
  try {
    await files.mkdir(probe);
    await files.rmdir(probe);
    if (version === 1) return () => undefined;
    const there = words(await files.read(join(folder, 'cgroup.controllers')));
    const usable = controllers.filter(controller => there.includes(controller));
    const handedOn = words(await files.read(join(folder, HANDED_ON)));
    const needed = usable.filter(controller => !handedOn.includes(controller));
    const why = needed.length === 0 ? undefined : await handOn(base, needed, options);
    return controller =>
      usable.includes(controller) ? why : `the cgroup ${folder} has no controller "${controller}": ${WAY_OUT}`;
  } catch (error) {
    return () => whyRefused(folder, error);
  }
};
