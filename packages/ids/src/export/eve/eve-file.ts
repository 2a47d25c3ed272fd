// SPDX-License-Identifier: Apache-2.0
/** Events in a file of their own, as Suricata writes eve.json, for EveBox, Filebeat and others that tail it. */
import {access, constants, lstat} from 'node:fs/promises';
import {dirname} from 'node:path';
import {ExportError, type Exporter, type ExporterOptions, written} from '../exporter.ts';
import {openAppendFile} from './append-file.ts';
import {toEveLine} from './eve-line.ts';
import {bytesIn, KEEP_DEFAULT, MAX_BYTES_DEFAULT, MODE_DEFAULT, pathOf} from './eve-url.ts';

/** What people can do about it. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: 'create its folder',
  ELOOP: 'it is a symbolic link; name the file itself',
  ENOTDIR: 'name a file in a folder',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'let the user of the server write there',
  EPERM: 'let the user of the server write there',
  EROFS: 'name a file on a disk that can be written',
  ENOSPC: 'free space on its disk',
  EDQUOT: 'free space of the user of the server',
};

const explained = (path: string, error: unknown): ExportError => {
  const {code = '', message} = error as NodeJS.ErrnoException;
  const advice = ADVICE[code];
  return new ExportError('unavailable', `${path}: ${advice === undefined ? message : `${code}; ${advice}`}`, {
    cause: error,
  });
};

/** Throws ExportError where no file could be written now. The folder may go, and come back, later. */
export const checkEveFile = async ({settings}: Pick<ExporterOptions, 'settings'>): Promise<void> => {
  const path = pathOf(new URL(settings.url)) ?? '';
  try {
    await access(dirname(path), constants.W_OK | constants.X_OK);
    const found = await lstat(path).catch(() => undefined);
    if (found?.isDirectory() === true) throw Object.assign(new Error('is a folder'), {code: 'EISDIR'});
    if (found?.isSymbolicLink() === true) throw Object.assign(new Error('is a link'), {code: 'ELOOP'});
  } catch (error) {
    throw explained(path, error);
  }
};

export function openEveFile({settings}: Pick<ExporterOptions, 'settings'>): Exporter {
  const {maxBytes = MAX_BYTES_DEFAULT, keep = KEEP_DEFAULT, mode = MODE_DEFAULT} = settings.options;
  const path = pathOf(new URL(settings.url)) ?? '';
  const file = openAppendFile({
    path,
    maxBytes: bytesIn(maxBytes) ?? 0,
    keptMax: Number(keep),
    mode: Number.parseInt(mode, 8),
  });
  return {
    needsEvent: true,
    send: async (items, signal) => {
      signal.throwIfAborted();
      const lines = Buffer.from(written(() => items.map(item => `${toEveLine(item)}\n`).join('')));
      try {
        await file.append(lines);
      } catch (error) {
        throw explained(path, error);
      }
    },
    close: () => file.close(),
  };
}
