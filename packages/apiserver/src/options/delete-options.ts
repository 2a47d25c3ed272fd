// SPDX-License-Identifier: Apache-2.0
/**
 * DeleteOptions: from the body when there is one, else from the query.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/delete.go, apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
import {DecodeError, decodeObject, type FieldError, invalid, kubeTypes, notSupported} from '@palisade/wire/kube';
import {MEDIA_TYPE} from '../http/accept.ts';
import type {Query} from '../http/query.ts';
import {badRequest} from '../status-error.ts';
import {parseInt64} from './parse-integer.ts';
import {invalidOptions, validateDryRun} from './write-options.ts';

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

export type DeleteOptions = {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: PropagationPolicy | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly preconditions: {readonly uid?: string | undefined; readonly resourceVersion?: string | undefined};
};

type Sent = {
  kind?: string;
  apiVersion?: string;
  dryRun?: readonly string[];
  gracePeriodSeconds?: number;
  propagationPolicy?: string;
  orphanDependents?: boolean;
  preconditions?: {uid?: string; resourceVersion?: string};
};

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

const fromBody = (bytes: Buffer): Sent => {
  try {
    return decodeObject(kubeTypes, DELETE_OPTIONS, bytes).object as Sent;
  } catch (error) {
    if (error instanceof DecodeError) {
      throw badRequest(`DeleteOptions in version "v1" cannot be handled as a DeleteOptions: ${error.message}`);
    }
    throw error;
  }
};

const fromQuery = (query: Query): Sent => {
  const grace = parseInt64(query.get('gracePeriodSeconds'));
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  return {
    dryRun: query.all('dryRun'),
    ...(grace === undefined ? {} : {gracePeriodSeconds: grace}),
    ...(policy === undefined ? {} : {propagationPolicy: policy}),
    ...(orphan === undefined ? {} : {orphanDependents: orphan !== 'false' && orphan !== '0' && orphan !== 'False'}),
  };
};

/** `body` may be empty. Throws StatusError 400, 422. */
export const parseDeleteOptions = (body: Buffer, query: Query, toJson: (body: Buffer) => Buffer): DeleteOptions => {
  const sent = body.length > 0 ? fromBody(toJson(body)) : fromQuery(query);
  if (sent.kind !== undefined && sent.kind !== 'DeleteOptions') {
    throw badRequest(`expected a valid meta.k8s.io/v1 DeleteOptions, got ${sent.apiVersion ?? ''}, Kind=${sent.kind}`);
  }
  const faults = validate(sent);
  if (faults.length > 0) throw invalidOptions('DeleteOptions', faults);
  const {uid, resourceVersion} = sent.preconditions ?? {};
  return {
    dryRun: (sent.dryRun ?? []).length > 0,
    gracePeriodSeconds: sent.gracePeriodSeconds,
    propagationPolicy: sent.propagationPolicy as PropagationPolicy | undefined,
    orphanDependents: sent.orphanDependents,
    preconditions: {uid, resourceVersion},
  };
};

const validate = (sent: Sent): FieldError[] => {
  const errors: FieldError[] = [];
  const {propagationPolicy: policy} = sent;
  if (policy !== undefined && sent.orphanDependents !== undefined) {
    errors.push(invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'));
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', policy, [...POLICIES, 'nil']));
  }
  errors.push(...validateDryRun(sent.dryRun ?? []));
  return errors;
};

export const DELETE_BODY_TYPES = [MEDIA_TYPE.json, MEDIA_TYPE.yaml, MEDIA_TYPE.protobuf];
