// SPDX-License-Identifier: Apache-2.0
/**
 * One process works on a stack at a time. A lock is a file of its own in the stack's lock folder: write ours, then look whether
 * there is another; if so, take ours back. A lock of a process that is gone from this host is removed, and said so.
 * Ref: Pulumi pkg/backend/diy/lock.go.
 */
import {rm} from 'node:fs/promises';
import {join} from 'node:path';
import {EngineError} from '../engine-error.ts';
import {livenessOf} from '../process-mark.ts';
import {isJsonObject, type JsonObject} from '../state/resource-json.ts';
import type {System} from '../system.ts';
import {makeFolder} from './make-folder.ts';
import {changing, listState, readState, writeState} from './state-files.ts';

export interface Lock {
  /** Idempotent. */
  release(): Promise<void>;
}

/** Of the CLI: `pid`, `username`, `hostname`, `timestamp`; of ours also `process`, which tells the pid from a later one. */
type Content = JsonObject;

export async function acquireLock(options: {
  folder: string;
  system: System;
  note: (line: string) => void;
}): Promise<Lock> {
  const {folder, system} = options;
  await changing(folder, () => makeFolder(folder));
  await refuseOthers(options, undefined);
  const own = `${system.random.uuid()}.json`;
  const {pid, username, hostname, mark} = system.identity;
  const timestamp = system.clock.now().toISOString();
  const content: Content = {pid, username, hostname, timestamp, ...(mark === undefined ? {} : {process: mark})};
  await writeState(join(folder, own), JSON.stringify(content));
  const release = (): Promise<void> => changing(join(folder, own), () => rm(join(folder, own), {force: true}));
  try {
    await refuseOthers(options, own);
  } catch (error) {
    await release();
    throw error;
  }
  return {release};
}

async function refuseOthers(
  options: {folder: string; system: System; note: (line: string) => void},
  own: string | undefined,
): Promise<void> {
  const holders: string[] = [];
  for (const file of await listState(options.folder)) {
    if (file === own || !file.endsWith('.json')) continue;
    const path = join(options.folder, file);
    const content = parseContent(await readState(path));
    if (content === undefined) continue; // released in between, or still being written
    const {username = '?', hostname = '?', pid = '?', timestamp = '?'} = content;
    if (hostname === options.system.identity.hostname && livenessOf(pid, content['process']) === 'gone') {
      options.note(`the lock of a process that ended (pid ${pid}, ${timestamp}) was removed`);
      await removeLock(path);
      continue;
    }
    holders.push(`  ${path}: created by ${username}@${hostname} (pid ${pid}) at ${timestamp}`);
  }
  if (holders.length === 0) return;
  throw new EngineError(
    `the stack is currently locked by ${holders.length} lock(s). Either wait for the other process(es) to end ` +
      `or remove the lock with "palisade cancel".\n${holders.join('\n')}`,
  );
}

/** What is no lock of either program is not ours to judge: it counts as held. */
function parseContent(text: string | undefined): Content | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const content: unknown = JSON.parse(text);
    return isJsonObject(content) ? content : {};
  } catch {
    return {};
  }
}

export async function removeLocks(folder: string): Promise<number> {
  const files = (await listState(folder)).filter(file => file.endsWith('.json'));
  for (const file of files) await removeLock(join(folder, file));
  return files.length;
}

/** With the attributes that the CLI keeps beside each of its files. */
async function removeLock(path: string): Promise<void> {
  await changing(path, () => rm(path, {force: true}));
  await changing(path, () => rm(`${path}.attrs`, {force: true}));
}
