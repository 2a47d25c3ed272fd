// SPDX-License-Identifier: Apache-2.0
/** core/v1 Secret. Ref: kubernetes v1.36 pkg/registry/core/secret/strategy.go, pkg/apis/core/v1/{defaults,conversion}.go. */
import {
  ALL_VERBS,
  type KindDefinition,
  type KubeObject,
  type Strategy,
  tableAge,
  tableNameColumns,
} from '@palisade/apiserver';
import {kubeTypes, nameIsDnsSubdomain} from '@palisade/kube-wire';
import {docColumn} from '../doc-column.ts';
import {markSentEmpty, withoutNulls} from '../immutable-data.ts';
import {keyPairFault} from './tls/key-pair.ts';
import {SECRET_TYPE, type Secret, TLS_KEYS} from './types.ts';
import {validateSecret, validateSecretChange} from './validate.ts';

const TYPE = 'io.k8s.api.core.v1.Secret';
const asSecret = (object: KubeObject): Secret => object as Secret;

/** `stringData` becomes a part of `data` before anything else sees the object: it is never owned by plain writes, stored or answered. */
const mergeStringData = (secret: Secret): void => {
  const {stringData} = secret;
  if (stringData === undefined) return;
  const texts = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  secret.data = {...secret.data, ...Object.fromEntries(texts)};
  delete secret.stringData;
};

const applyDefaults = (object: KubeObject): void => {
  const secret = asSecret(object);
  if ((secret.type ?? '') === '') secret.type = SECRET_TYPE.opaque;
  markSentEmpty(secret, ['data']);
  mergeStringData(secret);
};

const bytesOf = ({data = {}}: Secret, key: string): Buffer =>
  Buffer.from((Object.hasOwn(data, key) ? data[key] : undefined) ?? '', 'base64');

const warnings = (secret: Secret): readonly string[] => {
  if (secret.type !== SECRET_TYPE.tls) return [];
  const fault = keyPairFault(bytesOf(secret, TLS_KEYS.certificate), bytesOf(secret, TLS_KEYS.privateKey));
  return fault === undefined ? [] : [fault];
};

const strategy: Strategy = {
  validateName: nameIsDnsSubdomain,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  revalidation: 'changes-first',
  validateCreate: draft => validateSecret(asSecret(draft)),
  validateUpdate: draft => validateSecret(asSecret(draft)),
  validateChange: (draft, current) => validateSecretChange(asSecret(draft), asSecret(current)),
  warningsOnCreate: draft => warnings(asSecret(draft)),
  warningsOnUpdate: draft => warnings(asSecret(draft)),
  canonicalize: draft => {
    const {data} = asSecret(draft);
    if (data !== undefined) asSecret(draft).data = withoutNulls(data);
  },
  selectableFields: {type: object => asSecret(object).type ?? ''},
  table: {
    columns: tableNameColumns([docColumn('Type', TYPE, 'type'), docColumn('Data', TYPE, 'data')]),
    cells: (object, nowMs) => {
      const {metadata, type = '', data = {}} = asSecret(object);
      return [metadata.name ?? '', type, Object.keys(data).length, tableAge(object, nowMs)];
    },
  },
};

export const secretsKind: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  listKind: 'SecretList',
  resource: 'secrets',
  singular: 'secret',
  namespaced: true,
  verbs: ALL_VERBS,
  typeName: TYPE,
  types: kubeTypes,
  registryPath: 'secrets',
  internalName: 'core.Secret',
  strategy,
  applyDefaults,
};
