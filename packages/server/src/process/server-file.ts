// SPDX-License-Identifier: Apache-2.0
/** The address file in the data folder: written when a server is up, removed when it stops, read by commands on the same machine. */
import {readFile, rm} from 'node:fs/promises';
import {join} from 'node:path';
import {livenessOf, type ProcessMark} from '@palisade/engine/process-mark';
import {CommandError} from '../errors.ts';
import {replaceFile} from './replace-file.ts';

export const SERVER_FILE = 'server.json';
/** At least one of `http` and `https` is there. */
export type ServerFile = {
  readonly http?: string;
  readonly https?: string;
  /** Path of the authority behind `https`, if the server made it. */
  readonly ca?: string;
  readonly pid: number;
  /** Distinguishes the process of `pid` from a later one with the same number. */
  readonly process?: ProcessMark | undefined;
};

/** How programs of this machine reach the server: without TLS, if that is served. */
export type LocalAddress = {readonly url: string; readonly ca?: string};

export const addressOf = ({http, https = '', ca}: ServerFile): LocalAddress =>
  http === undefined ? {url: https, ...(ca === undefined ? {} : {ca})} : {url: http};

/** One line of JSON from outside. Undefined: it is no address of a server. */
export const parseServerFile = (text: string): ServerFile | undefined => {
  let value: Partial<ServerFile> | null;
  try {
    value = JSON.parse(text) as Partial<ServerFile> | null;
  } catch {
    return undefined;
  }
  const {http, https, ca, pid} = value ?? {};
  const urls = [http, https].filter(url => url !== undefined);
  const areUrls = urls.length > 0 && urls.every(url => typeof url === 'string' && /^https?:\/\/\S+$/.test(url));
  if (!areUrls || !['string', 'undefined'].includes(typeof ca) || !Number.isInteger(pid)) return undefined;
  return value as ServerFile;
};

/** Whether its process is seen to run. One in a container beside is not seen, and a bare pid may be that of another program by now. */
export const isAlive = ({pid, process}: ServerFile): boolean =>
  process !== undefined && livenessOf(pid, process) === 'running';

/** Undefined: none is there. Throws CommandError for one that cannot be read or is damaged. */
export const readServerFile = async (dir: string): Promise<ServerFile | undefined> => {
  const path = join(dir, SERVER_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, {cause: error});
  }
  const file = parseServerFile(text);
  if (file === undefined)
    throw new CommandError(`${path} is damaged: restart the server to replace it, or set PALISADE_SERVER`);
  return file;
};

export const writeServerFile = (dir: string, file: ServerFile): Promise<void> =>
  replaceFile(join(dir, SERVER_FILE), `${JSON.stringify(file)}\n`, 0o600);

export const removeServerFile = (dir: string): Promise<void> => rm(join(dir, SERVER_FILE), {force: true});
