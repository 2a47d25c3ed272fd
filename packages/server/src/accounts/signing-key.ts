// SPDX-License-Identifier: Apache-2.0
/**
 * The key that signs tokens of service accounts: ECDSA P-256 in DATA/pki/sa.key (mode 0600), made at the first start. Another key ends
 * every token that the old one signed.
 */
import {createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject} from 'node:crypto';
import {join} from 'node:path';
import {CommandError} from '../errors.ts';
import {SECRET_MODE} from '../pki/own-files.ts';
import {PKI_FOLDER} from '../process/data-folder.ts';
import {readIfPresent} from '../process/read-if-present.ts';
import {replaceFile} from '../process/replace-file.ts';
import {makePrivateFolder} from '../process/sync-folder.ts';

const FILE = 'sa.key';
const CURVE = 'prime256v1';
export const SIGNING_ALGORITHM = 'ES256';

export type SigningKey = {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** Says which key it is, and nothing of it. Ref: kubernetes v1.36 pkg/serviceaccount/jwt.go keyIDFromPublicKey. */
  readonly id: string;
};

const parse = (pem: string, path: string): KeyObject => {
  const wayOut = 'restore it from a backup, or delete it for a new key, which ends all tokens of service accounts';
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new CommandError(`${path}: not a private key in PEM form; ${wayOut}`, {cause: error});
  }
  if (key.asymmetricKeyDetails?.namedCurve === CURVE) return key;
  throw new CommandError(`${path}: not an ECDSA key of the curve P-256; ${wayOut}`);
};

/** Throws CommandError for a file that is no such key. */
export const openSigningKey = async (dataDir: string): Promise<SigningKey> => {
  const folder = join(dataDir, PKI_FOLDER);
  const path = join(folder, FILE);
  let pem = await readIfPresent(path);
  if (pem === undefined) {
    await makePrivateFolder(folder);
    pem = generateKeyPairSync('ec', {namedCurve: CURVE}).privateKey.export({type: 'pkcs8', format: 'pem'}) as string;
    await replaceFile(path, pem, SECRET_MODE);
  }
  const privateKey = parse(pem, path);
  const publicKey = createPublicKey(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({type: 'spki', format: 'der'}))
    .digest('base64url');
  return {privateKey, publicKey, id};
};
