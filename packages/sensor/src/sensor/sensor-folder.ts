// SPDX-License-Identifier: Apache-2.0
/**
 * The folder of one endpoint's sensor: `endpoints/<hash of the resource name>/`, mode 0700, owned by Suricata's user.
 * `sensor.json` says whose it is, with its settings, and which process works in it, so that a later server finds what a crash left.
 */
import {createHash} from 'node:crypto';
import {constants} from 'node:fs';
import {chmod, chown, mkdir, open, readdir, readFile, readlink, realpath, rename, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {SensorSpec} from '../ports.ts';
import {replaceFile} from '../replace-file.ts';
import type {RuleSet} from '../rules/rule-set.ts';
import {systemCode} from '../sensor-error.ts';
import {EVE_FILE} from '../suricata/config.ts';
import {writeEngineFiles} from '../suricata/engine-files.ts';
import type {RunAs} from '../suricata/process.ts';
import {linkFiles} from './link-files.ts';

const RECORD_FILE = 'sensor.json';
/** A folder that is being removed; never a sensor's. */
export const GONE_PREFIX = 'gone-';

/** A process is ours when its start time (clock ticks since boot, /proc/PID/stat field 22) is the recorded one. */
export type ProcessMark = {readonly pid: number; readonly startTicks: string};
export type SensorRecord = {
  readonly spec: SensorSpec;
  readonly process?: ProcessMark | undefined;
};

export const endpointsDir = (dir: string): string => join(dir, 'endpoints');
export const folderOf = (dir: string, endpoint: string): string =>
  join(endpointsDir(dir), createHash('sha256').update(endpoint).digest('hex').slice(0, 20));

export const makeSensorFolder = async (
  folder: string,
  record: SensorRecord,
  owner: RunAs | undefined,
): Promise<void> => {
  await mkdir(folder, {recursive: true, mode: 0o700});
  await chmod(folder, 0o700);
  if (owner !== undefined) await giveTo(folder, owner);
  await writeSensorRecord(folder, record);
};

/** Suricata's user may be another than in the last run: the file that it appends to changes hands with the folder. */
const giveTo = async (folder: string, owner: RunAs): Promise<void> => {
  const before = await stat(folder);
  if (before.uid === owner.uid && before.gid === owner.gid) return;
  await chown(folder, owner.uid, owner.gid);
  const {O_RDONLY, O_NOFOLLOW, O_NONBLOCK} = constants;
  const eve = await open(join(folder, EVE_FILE), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (eve === undefined) return; // not there, or a link: a new one is made
  try {
    const {uid, nlink} = await eve.stat();
    const isOfFormerUser = uid === before.uid && nlink === 1; // any other file may be somebody's
    if (isOfFormerUser) await eve.chown(owner.uid, owner.gid);
  } finally {
    await eve.close();
  }
};

/** Identifies the folder; undefined: it does not exist. */
export const folderMark = (folder: string): Promise<string | undefined> =>
  stat(folder).then(
    ({dev, ino}) => `${dev}-${ino}`,
    (error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    },
  );

export const writeSensorRecord = (folder: string, record: SensorRecord): Promise<void> =>
  replaceFile(join(folder, RECORD_FILE), `${JSON.stringify(record)}\n`);

/** Undefined when the folder is no sensor's or its record is unreadable. */
export const readSensorRecord = async (folder: string): Promise<SensorRecord | undefined> => {
  try {
    return sensorRecordIn(await readFile(join(folder, RECORD_FILE), 'utf8'));
  } catch {
    return undefined; // half made, or not ours: nothing is done to it
  }
};

type Read<T> = {readonly [name in keyof T]?: unknown};

const markIn = (value: unknown): ProcessMark | undefined => {
  const {pid, startTicks} = Object(value) as Read<ProcessMark>;
  const isMark = Number.isSafeInteger(pid) && Number(pid) > 0 && typeof startTicks === 'string';
  return isMark ? {pid: Number(pid), startTicks} : undefined;
};

const specIn = (value: unknown): SensorSpec | undefined => {
  const {endpoint, network, ip, vni, severity, threatExceptions, trafficLogs} = Object(value) as Read<SensorSpec>;
  const isSpec =
    [endpoint, network, ip, severity].every(text => typeof text === 'string') &&
    Number.isSafeInteger(vni) &&
    Number(vni) >= 0 &&
    Array.isArray(threatExceptions) &&
    threatExceptions.every(id => typeof id === 'string') &&
    typeof trafficLogs === 'boolean';
  if (!isSpec) return undefined;
  return {endpoint, network, ip, vni: Math.abs(Number(vni)), severity, threatExceptions, trafficLogs} as SensorSpec; // no -0
};

/** Suricata's user can write the file: it has any content. Throws SyntaxError. */
export const sensorRecordIn = (text: string): SensorRecord | undefined => {
  const {spec: given, process} = Object(JSON.parse(text)) as Read<SensorRecord>;
  const spec = specIn(given);
  return spec && {spec, process: markIn(process)};
};

/** Undefined when there is no such process, or only its entry that nobody has collected yet. */
export const startTicksOf = async (pid: number): Promise<string | undefined> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
};

/** True when the recorded process still runs and works in this folder: the number may be another's by now, the record may be forged. */
export const isRunningIn = async (folder: string, mark: ProcessMark): Promise<boolean> => {
  if ((await startTicksOf(mark.pid)) !== mark.startTicks) return false;
  const cwd = await readlink(`/proc/${mark.pid}/cwd`).catch(() => undefined);
  return cwd !== undefined && cwd === (await realpath(folder));
};

/** Rule files, and the files that rules or settings name. */
const OF_RULE_SET = /^(?:\d{2,}-|side-|iprep-)/;

/** Puts the rule set's files and the configuration in place of those that are there. */
export const placeRuleSet = async (folder: string, set: RuleSet, config: string): Promise<void> => {
  const names = [...set.files.map(file => file.name), ...set.side];
  await linkFiles(set.folder, names, folder);
  for (const name of await readdir(folder))
    if (OF_RULE_SET.test(name) && !names.includes(name)) await rm(join(folder, name), {force: true});
  await writeEngineFiles(folder, config, set.extras);
};

/** Takes the folder out of sight in one step, so that what was counted is never read again; `removeGone` then deletes it. */
export const retireFolder = async (dir: string, folder: string, unique: string): Promise<string> => {
  const gone = join(endpointsDir(dir), `${GONE_PREFIX}${unique}`);
  await rename(folder, gone).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error;
  });
  return gone;
};

export const removeFolder = (folder: string): Promise<void> => rm(folder, {recursive: true, force: true});
