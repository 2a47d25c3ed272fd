// SPDX-License-Identifier: Apache-2.0
/**
 * Where a paged list goes on. Opaque to clients; in fact base64url of {"v":"meta.k8s.io/v1","rv":REVISION,"start":KEY}, where
 * KEY is relative to what is listed: NAME and a NUL in one namespace, NAMESPACE/NAME and a NUL in all of them.
 * A negative rv asks for the newest state instead of the one the list began with: what is offered when that state is gone.
 * Ref: kubernetes v1.36 apiserver/pkg/storage/continue.go.
 */
import {posix} from 'node:path';
import {cannotUnmarshal, DecodeError, decodeJson, type Json} from '@palisade/kube-wire';
import {goJsonKind} from '@palisade/kube-wire/patch';

export type ContinuePosition = {
  /** The revision of the first page; undefined: the newest one. */
  readonly revision: bigint | undefined;
  /** The first key that may come, relative to what is listed. */
  readonly from: string;
};

const FORMAT = 'meta.k8s.io/v1';
/** Line breaks are passed over, as Go's decoder does: a token may come out of a file. */
const ALPHABET = /^[A-Za-z0-9_\r\n-]*/;
const LINE_BREAKS = /[\r\n]/g;

/** The first key behind `key`. */
export const keyBehind = (key: string): string => `${key}\0`;

export const encodeContinueToken = ({revision, from}: ContinuePosition): string =>
  Buffer.from(`{"v":"${FORMAT}","rv":${revision ?? -1},"start":${JSON.stringify(from)}}`).toString('base64url');

/** The position, or what is wrong with the token. */
export const decodeContinueToken = (token: string): ContinuePosition | {readonly fault: string} => {
  const valid = ALPHABET.exec(token)?.[0].length ?? 0;
  if (valid < token.length || token.replace(LINE_BREAKS, '').length % 4 === 1) {
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

const FIELD_TYPES: ReadonlyMap<string, 'string' | 'int64'> = new Map([
  ['v', 'string'],
  ['rv', 'int64'],
  ['start', 'string'],
]);

const mismatch = (what: string, where: string): {readonly fault: string} => ({
  fault: `continue key is not valid: ${cannotUnmarshal(what, where)}`,
});

const readPosition = (value: Json): ContinuePosition | {readonly fault: string} => {
  if (value !== null && (typeof value !== 'object' || Array.isArray(value))) {
    return mismatch(goJsonKind(value), 'value of type storage.continueToken');
  }
  const token: {v: string; rv: number; start: string} = {v: '', rv: 0, start: ''};
  for (const [key, field] of Object.entries(value ?? {})) {
    const name = key.toLowerCase();
    const type = FIELD_TYPES.get(name);
    if (type === undefined || field === null) continue;
    const of = `struct field continueToken.${name} of type ${type}`;
    if (typeof field !== (type === 'string' ? 'string' : 'number')) return mismatch(goJsonKind(field), of);
    if (type === 'int64' && !Number.isSafeInteger(field)) return mismatch(`number ${field}`, of);
    Object.assign(token, {[name]: field});
  }
  return toPosition(token);
};

const toPosition = ({v, rv, start}: {v: string; rv: number; start: string}): ContinuePosition | {fault: string} => {
  if (v !== FORMAT) return {fault: `continue key is not valid: server does not recognize this encoded version ${v}`};
  if (rv === 0) {
    return {fault: `continue key is not valid: incorrect encoded start resourceVersion (version ${FORMAT})`};
  }
  if (start === '') return {fault: `continue key is not valid: encoded start key empty (version ${FORMAT})`};
  const key = start.startsWith('/') ? start : `/${start}`;
  if (!isCleanPath(key)) return {fault: `continue key is not valid: ${start}`};
  return {revision: rv < 0 ? undefined : BigInt(rv), from: key.slice(1)};
};

/** As it stands it is the shortest form, so it cannot lead out of what is listed. Ref: Go path.Clean. */
const isCleanPath = (key: string): boolean => key === '/' || (posix.normalize(key) === key && !key.endsWith('/'));
