// SPDX-License-Identifier: Apache-2.0
import type {KubeObject} from '@palisade/apiserver';
import type {Bytes} from '../config-maps/types.ts';

/** As decoded: what is absent is undefined, maps are never empty. */
export type Secret = KubeObject & {
  readonly immutable?: boolean;
  data?: Bytes;
  stringData?: Readonly<Record<string, string>>;
  type?: string;
};

/** Ref: kubernetes v1.36 pkg/apis/core/types.go SecretType. */
export const SECRET_TYPE = {
  opaque: 'Opaque',
  serviceAccountToken: 'kubernetes.io/service-account-token',
  dockerCfg: 'kubernetes.io/dockercfg',
  dockerConfigJson: 'kubernetes.io/dockerconfigjson',
  basicAuth: 'kubernetes.io/basic-auth',
  sshAuth: 'kubernetes.io/ssh-auth',
  tls: 'kubernetes.io/tls',
} as const;

export const TLS_KEYS = {certificate: 'tls.crt', privateKey: 'tls.key'} as const;
