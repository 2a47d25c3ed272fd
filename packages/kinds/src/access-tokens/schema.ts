// SPDX-License-Identifier: Apache-2.0
/** The structs of AccessToken. */
import {kindStructs, kubeTypes, type TypeTable} from '@palisade/kube-wire';
import {PLATFORM_PREFIX} from '../checks/schema.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {int32, numbered, struct, structType, tableOf, text, textSet, time} from '../struct-fields.ts';

export const ACCESS_TOKEN = `${PLATFORM_PREFIX}.AccessToken`;
const SPEC = `${ACCESS_TOKEN}Spec`;
const STATUS = `${ACCESS_TOKEN}Status`;

export const accessTokenTypes: TypeTable = {
  ...kubeTypes,
  ...kindStructs({
    group: PLATFORM_GROUP,
    version: PLATFORM_VERSION,
    kind: 'AccessToken',
    typeName: ACCESS_TOKEN,
    doc: 'AccessToken is a bearer token of a user. The server shows the token once, in the answer to the create, and stores its digest. A deleted AccessToken is no longer valid. It cannot be changed.',
    fields: numbered(
      [
        struct(SPEC, 'spec', 'User that the token authenticates.', {keepEmpty: true}),
        struct(STATUS, 'status', 'What the server knows about the token. Written by the server.', {keepEmpty: true}),
      ],
      2,
    ),
  }),
  ...tableOf(
    structType(SPEC, 'AccessTokenSpec is the user that a token authenticates, and its lifetime.', [
      text('user', 'Name of the user. The creator needs the verb `impersonate` on the user and on each group.', {
        required: true,
        keepEmpty: true,
      }),
      text('uid', 'UID of the user.'),
      textSet('groups', 'Groups of the user, at most 64. The server adds `system:authenticated`.'),
      int32(
        'ttlSeconds',
        'The token expires so long after its creation, 1 to 315360000 (10 years). Without it, the token does not expire.',
        {pointer: true},
      ),
      text('description', 'What the token is for, at most 1024 characters.'),
    ]),
    structType(STATUS, 'AccessTokenStatus is what the server knows about a token.', [
      text('digest', 'SHA-256 of the token, hexadecimal.'),
      text('createdBy', 'User who created the token.'),
      time(
        'expirationTimestamp',
        'From this time on the server refuses the token. Without it, the token does not expire.',
        {
          pointer: true,
        },
      ),
      text('token', 'The token. Only in the answer to the create; it is not stored.'),
    ]),
  ),
};
