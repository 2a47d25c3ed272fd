// SPDX-License-Identifier: Apache-2.0
/** A patched document becomes an object again; what cannot is 422 with the document (or the patch) as the bad value. */
import {DecodeError, failureStatus, invalid, type Json, type JsonObject} from '@palisade/wire/kube';
import {groupVersionOf, type KubeObject} from '../object.ts';
import {asKubeObject, decodeDocument} from '../object-codec.ts';
import type {FieldValidation} from '../options/write-options.ts';
import type {PatchFault} from '../patch/index.ts';
import {invalidObject, StatusError} from '../status-error.ts';
import {checkName} from './admit-namespace.ts';
import {handleStrictErrors} from './read-object.ts';
import type {RequestContext} from './request-context.ts';
import {settleObject} from './settle-object.ts';

export type Document = {
  readonly value: Json;
  /** How errors quote it. */
  readonly text: () => string;
  /** Found in the patch itself. */
  readonly strictErrors: readonly string[];
  readonly validation: FieldValidation;
  /** The patch worked on the kind's type, so kind and apiVersion need not be in the document. */
  readonly isTyped: boolean;
};

export const faultToStatus = ({code, reason, message, causes, emptyDetails}: PatchFault): StatusError =>
  new StatusError(
    failureStatus(code, reason, message, causes !== undefined ? {causes} : emptyDetails === true ? {} : undefined),
  );

const refusePatch = (text: string, why: string): StatusError =>
  invalidObject({group: '', kind: ''}, '', [invalid('patch', text, why)]);

/** Throws StatusError 400, 422. */
export const toPatchedObject = (context: RequestContext, document: Document): KubeObject => {
  const {kind, services} = context;
  const {value, text, validation} = document;
  const named = typeOf(value);
  const isNameless = !document.isTyped && (named.kind === '' || named.apiVersion === '');
  if (isNameless) warnUntyped(context, value);
  else if (!document.isTyped && (named.kind !== kind.kind || named.apiVersion !== groupVersionOf(kind)))
    throw refusePatch(text(), wrongType(context, named));
  const decoded = decode(() => decodeDocument(kind, services.compat, value), text);
  const errors = [...document.strictErrors, ...decoded.strictErrors];
  handleStrictErrors(context, validation, errors, why => refusePatch(text(), why));
  const object = asKubeObject(decoded.object);
  if (isNameless) object.metadata = {};
  checkName(context, object);
  settleObject(context, object);
  return object;
};

const decode = <T>(work: () => T, text: () => string): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof DecodeError) throw refusePatch(text(), error.message);
    throw error;
  }
};

const typeOf = (value: Json): {kind: string; apiVersion: string} => {
  const {kind, apiVersion} = (value ?? {}) as {kind?: Json; apiVersion?: Json};
  return {kind: typeof kind === 'string' ? kind : '', apiVersion: typeof apiVersion === 'string' ? apiVersion : ''};
};

/** Without kind and apiVersion the reference decodes into nothing: each field is unknown, and there is no name. */
const warnUntyped = (context: RequestContext, value: Json): void => {
  for (const key of Object.keys((value ?? {}) as JsonObject)) {
    if (key !== 'kind' && key !== 'apiVersion') context.warn(`unknown field "${key}"`);
  }
};

const wrongType = ({kind}: RequestContext, named: {kind: string; apiVersion: string}): string => {
  const version = named.apiVersion.slice(named.apiVersion.indexOf('/') + 1);
  if (named.apiVersion !== groupVersionOf(kind)) {
    return `no kind "${named.kind}" is registered for version "${named.apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  }
  return `converting (${version}.${named.kind}) to (${kind.internalName}): unknown conversion`;
};
