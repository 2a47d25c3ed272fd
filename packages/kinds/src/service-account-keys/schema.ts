// SPDX-License-Identifier: Apache-2.0
/** The structs of ServiceAccountKey. Ref: requirements I-114. */
import {kindStructs, kubeTypes, type TypeTable} from '@palisade/kube-wire';
import {PLATFORM_PREFIX} from '../checks/schema.ts';
import {PLATFORM_GROUP, PLATFORM_VERSION} from '../endpoint-groups/schema.ts';
import {numbered, struct, structType, tableOf, text, time} from '../struct-fields.ts';

export const SERVICE_ACCOUNT_KEY = `${PLATFORM_PREFIX}.ServiceAccountKey`;
const SPEC = `${SERVICE_ACCOUNT_KEY}Spec`;
const STATUS = `${SERVICE_ACCOUNT_KEY}Status`;

export const serviceAccountKeyTypes: TypeTable = {
  ...kubeTypes,
  ...kindStructs({
    group: PLATFORM_GROUP,
    version: PLATFORM_VERSION,
    kind: 'ServiceAccountKey',
    typeName: SERVICE_ACCOUNT_KEY,
    doc: 'ServiceAccountKey is a key pair of a ServiceAccount. Its private half, a key file for gcloud and the libraries of Google, is in the answer to the create and nowhere else. It cannot be changed; deleting it ends every token that was got with it.',
    fields: numbered(
      [
        struct(SPEC, 'spec', 'Whose key it is.', {keepEmpty: true}),
        struct(STATUS, 'status', 'The public half. Written by the server.', {keepEmpty: true}),
      ],
      2,
    ),
  }),
  ...tableOf(
    structType(SPEC, 'ServiceAccountKeySpec is whose key it is.', [
      text(
        'serviceAccountName',
        'ServiceAccount of the namespace. A create needs the right to create its tokens (`serviceaccounts/token`), too.',
        {required: true, keepEmpty: true},
      ),
      time('expirationTimestamp', 'The key ends then; not given: it does not expire.', {pointer: true}),
    ]),
    structType(STATUS, 'ServiceAccountKeyStatus is the public half of a key.', [
      text('serviceAccountUID', 'UID of the ServiceAccount. The key is of no use for a later one of the same name.'),
      text('clientEmail', 'Name of the account in the key file: NAME@NAMESPACE.iam.gserviceaccount.com.'),
      text('publicKey', 'Public key (RSA), PEM.'),
      text('keyFile', 'Key file (JSON) with the private key. In the answer to the create only; it is not stored.'),
    ]),
  ),
};
