// SPDX-License-Identifier: Apache-2.0
/** The user that `--sensor-user` names. */
import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {systemCode} from '../sensor-error.ts';
import type {RunAs} from '../suricata/process.ts';

const LOOK_UP_TIMEOUT_MS = 10_000;

/** A line of the user database, which may be more than a file; undefined: there is no such user. */
const entryOf = (user: string): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    execFile('getent', ['passwd', '--', user], {timeout: LOOK_UP_TIMEOUT_MS}, (error, stdout) => {
      if (error === null) return resolve(stdout.trim());
      if (systemCode(error) !== 'ENOENT') return resolve(undefined);
      readFile('/etc/passwd', 'utf8').then(text => {
        const lines = text.split('\n').map(line => [line, line.split(':')] as const);
        resolve(lines.find(([, [name, , uid]]) => name === user || uid === user)?.[0]);
      }, reject);
    });
  });

const NEEDS_NO_ENTRY = /^(\d+):(\d+)$/;

/** A name, a uid, or `UID:GID`. `ownUid`: of this process. A string says what is wrong. */
export const findSensorUser = async (user: string, ownUid: number | undefined): Promise<RunAs | string> => {
  const [, uidGiven, gidGiven] = NEEDS_NO_ENTRY.exec(user) ?? [];
  const fields = uidGiven === undefined ? (await entryOf(user))?.split(':') : ['', '', uidGiven, gidGiven];
  if (fields === undefined) return 'no such user: create it, name another one, or give UID:GID';
  const [uid, gid] = [Number(fields[2]), Number(fields[3])];
  if (!Number.isSafeInteger(uid) || !Number.isSafeInteger(gid)) return `not a user entry: ${fields.join(':')}`;
  if (uid === 0 || gid === 0) return 'Suricata must not run with the rights of root: name an unprivileged user';
  if (ownUid !== 0 && uid !== ownUid)
    return 'only root can run Suricata as another user: start palisade as root, or leave this flag out';
  return {uid, gid};
};
