// SPDX-License-Identifier: Apache-2.0
/** Ref: kubernetes v1.36 pkg/apis/core/validation/validation.go ValidateSecret, ValidateSecretUpdate. No value is quoted. */
import {
  cannotUnmarshal,
  DecodeError,
  decodeJson,
  type FieldError,
  invalid,
  keyPath,
  namedText,
  required,
  tooLong,
} from '@palisade/kube-wire';
import {goJsonKind} from '@palisade/kube-wire/patch';
import {byteCount, DATA_BYTES_MAX, immutableFaults, keyFaults} from '../immutable-data.ts';
import {SECRET_TYPE, type Secret, TLS_KEYS} from './types.ts';

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const DATA = 'data';
const REDACTED = '<secret contents redacted>';

const requiredKey = (key: string): FieldError => required(keyPath(DATA, key));

export const validateSecret = (secret: Secret): FieldError[] => {
  const {data = {}, type = ''} = secret;
  const errors = Object.keys(data).flatMap(key => keyFaults(DATA, key));
  if (byteCount(data) > DATA_BYTES_MAX) errors.push(tooLong(DATA, DATA_BYTES_MAX));
  const ofType = Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  return [...errors, ...(ofType?.(secret) ?? [])];
};

const lacking = ({data = {}}: Secret, keys: readonly string[]): string[] =>
  keys.filter(key => !Object.hasOwn(data, key));

/** The key has to hold a JSON object. */
const jsonObject =
  (key: string) =>
  ({data = {}}: Secret): FieldError[] => {
    if (!Object.hasOwn(data, key)) return [requiredKey(key)];
    const fault = jsonFault(Buffer.from(data[key] ?? '', 'base64'));
    return fault === undefined ? [] : [invalid(keyPath(DATA, key), REDACTED, fault)];
  };

const jsonFault = (bytes: Buffer): string | undefined => {
  try {
    const {value} = decodeJson(bytes);
    const isMap = value === null || (typeof value === 'object' && !Array.isArray(value));
    return isMap ? undefined : cannotUnmarshal(goJsonKind(value), 'value of type map[string]interface {}');
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
};

const BY_TYPE: Readonly<Record<string, (secret: Secret) => FieldError[]>> = {
  [SECRET_TYPE.serviceAccountToken]: ({metadata}) =>
    (metadata.annotations?.[ACCOUNT_NAME] ?? '') === ''
      ? [required(keyPath('metadata.annotations', ACCOUNT_NAME))]
      : [],
  [SECRET_TYPE.dockerCfg]: jsonObject('.dockercfg'),
  [SECRET_TYPE.dockerConfigJson]: jsonObject('.dockerconfigjson'),
  [SECRET_TYPE.basicAuth]: secret => {
    const absent = lacking(secret, ['username', 'password']);
    return absent.length < 2 ? [] : absent.map(requiredKey);
  },
  [SECRET_TYPE.sshAuth]: ({data = {}}) =>
    (data['ssh-privatekey'] ?? '') === '' ? [requiredKey('ssh-privatekey')] : [],
  [SECRET_TYPE.tls]: secret => lacking(secret, Object.values(TLS_KEYS)).map(requiredKey),
};

export const validateSecretChange = (draft: Secret, current: Secret): FieldError[] => {
  const {type = ''} = draft;
  const changed = type === (current.type ?? '') ? [] : [invalid('type', namedText(type), 'field is immutable')];
  return [...changed, ...immutableFaults(draft, current, [DATA])];
};
