// SPDX-License-Identifier: Apache-2.0
/** What `kubectl get accesstokens` prints. */
import {humanDuration, type TableConvertor, tableAge, tableNameColumns} from '@palisade/apiserver';
import {textColumn} from '../doc-column.ts';
import type {AccessToken} from './types.ts';

const expiresText = (expirationTimestamp: string | undefined, nowMs: number): string => {
  if (expirationTimestamp === undefined) return '<never>';
  const leftMs = Date.parse(expirationTimestamp) - nowMs;
  return leftMs <= 0 ? '<expired>' : humanDuration(leftMs);
};

/** So much of the digest finds a token in a log, and is no secret. */
const DIGEST_CHARS = 12;

export const accessTokenTable: TableConvertor = {
  columns: [
    ...tableNameColumns([
      textColumn('User', 'User that the token authenticates.'),
      textColumn('Groups', 'Groups of the user.'),
      textColumn('Expires', 'Time until the token expires.'),
    ]),
    textColumn('Created-By', 'User who created the token.', 1),
    textColumn('Digest', 'First characters of the SHA-256 of the token.', 1),
    textColumn('Description', 'What the token is for.', 1),
  ],
  cells: (object, nowMs) => {
    const {spec = {}, status = {}} = object as AccessToken;
    return [
      object.metadata.name ?? '',
      spec.user ?? '',
      (spec.groups ?? []).join(',') || '<none>',
      expiresText(status.expirationTimestamp, nowMs),
      tableAge(object, nowMs),
      status.createdBy ?? '',
      (status.digest ?? '').slice(0, DIGEST_CHARS),
      spec.description ?? '',
    ];
  },
};
