// SPDX-License-Identifier: Apache-2.0
/** What the system refuses about a file or folder that the user named, in words of the user. */
import {messageOf} from '../engine-error.ts';

type Words = Readonly<Record<string, string>>;

const WHY_UNREADABLE: Words = {
  ENOENT: 'no such file; check the path',
  ENOTDIR: 'no such file; check the path',
  EISDIR: 'is a folder; give a file',
  EACCES: 'permission denied; check its permissions',
};

const WHY_NO_FOLDER: Words = {
  ENOENT: 'no such folder; check the path',
  ENOTDIR: 'is not a folder; give the folder of the program',
  EACCES: 'permission denied; check its permissions',
};

const WHY_UNWRITABLE: Words = {
  ENOENT: 'no such folder; create it first, or check the path',
  ENOTDIR: 'there is a file where its folder should be; check the path',
  EEXIST: 'there is a file where its folder should be; check the path',
  EISDIR: 'is a folder; give a file',
  EACCES: 'permission denied; check the permissions of its folder',
  EPERM: 'permission denied; check the permissions of its folder',
  EROFS: 'the file system is read-only; give a file in another place',
  ENOSPC: 'the disk is full; free space, or give a file in another place',
  EDQUOT: 'the quota of this user is exceeded; free space, or give a file in another place',
  EFBIG: 'the limit on the size of files is reached; raise it (ulimit -f)',
};

/** Of what the engine keeps for itself: nobody names another place for it. */
const WHY_UNKEPT: Words = {
  ...WHY_UNWRITABLE,
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full; free space',
  EDQUOT: 'the quota of this user is exceeded; free space',
};

const WHY_UNUSABLE: Words = {
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'there is a file where a folder is needed',
  EEXIST: 'there is a file where a folder is needed',
};

const wordsFor = (words: Words, error: unknown): string => {
  const {code = ''} = error as NodeJS.ErrnoException;
  return words[code] ?? messageOf(error);
};

export const whyUnreadable = (error: unknown): string => wordsFor(WHY_UNREADABLE, error);
/** Of a folder that is to be there. */
export const whyNoFolder = (error: unknown): string => wordsFor(WHY_NO_FOLDER, error);
export const whyUnwritable = (error: unknown): string => wordsFor(WHY_UNWRITABLE, error);
export const whyUnkept = (error: unknown): string => wordsFor(WHY_UNKEPT, error);
/** Of a folder that is to be made or used. */
export const whyUnusable = (error: unknown): string => wordsFor(WHY_UNUSABLE, error);
