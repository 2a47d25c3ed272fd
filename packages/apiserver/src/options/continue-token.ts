// SPDX-License-Identifier: Apache-2.0
/**
 * Where a paged list goes on. Opaque to clients; in fact base64url of {"v":"meta.k8s.io/v1","rv":REVISION,"start":"NAMESPACE/NAME\0"}.
 * A negative rv asks for the newest state instead of the one the list began with: what is offered when that state is gone.
 * Ref: kubernetes v1.36 apiserver/pkg/storage/continue.go.
 */
import {DecodeError, decodeJson} from '@palisade/wire/kube';

export type ContinuePosition = {
  /** The revision of the first page; undefined: the newest one. */
  readonly revision: bigint | undefined;
  readonly namespace: string;
  readonly name: string;
};

const FORMAT = 'meta.k8s.io/v1';
const ALPHABET = /^[A-Za-z0-9_-]*/;

export const encodeContinueToken = ({revision, namespace, name}: ContinuePosition): string =>
  Buffer.from(`{"v":"${FORMAT}","rv":${revision ?? -1},"start":"${namespace}/${name}\\u0000"}`).toString('base64url');

/** The position, or what is wrong with the token. */
export const decodeContinueToken = (token: string): ContinuePosition | {readonly fault: string} => {
  const valid = ALPHABET.exec(token)?.[0].length ?? 0;
  if (valid < token.length || token.length % 4 === 1) {
    const at = valid < token.length ? valid : token.length - 1;
    return {fault: `continue key is not valid: illegal base64 data at input byte ${at}`};
  }
  try {
    return readPosition(decodeJson(Buffer.from(token, 'base64url')).value);
  } catch (error) {
    if (error instanceof DecodeError) return {fault: `continue key is not valid: ${error.message}`};
    throw error;
  }
};

const readPosition = (value: unknown): ContinuePosition | {readonly fault: string} => {
  const {v, rv, start} = (value ?? {}) as {v?: unknown; rv?: unknown; start?: unknown};
  if (v !== FORMAT) {
    return {
      fault: `continue key is not valid: server does not recognize this encoded version ${JSON.stringify(v ?? '')}`,
    };
  }
  if (typeof rv !== 'number' || rv === 0 || !Number.isSafeInteger(rv)) {
    return {fault: `continue key is not valid: incorrect encoded start resourceVersion (version ${FORMAT})`};
  }
  if (typeof start !== 'string' || start === '') {
    return {fault: `continue key is not valid: encoded start key empty (version ${FORMAT})`};
  }
  const [namespace = '', name = ''] = start.replace(/\0$/, '').split('/');
  return {revision: rv < 0 ? undefined : BigInt(rv), namespace, name};
};
