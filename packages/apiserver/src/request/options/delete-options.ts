// SPDX-License-Identifier: Apache-2.0
/**
 * DeleteOptions: from the body when there is one, else from the query.
 * Ref: kubernetes v1.36 apiserver/pkg/endpoints/handlers/delete.go, apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
import {type FieldError, invalid, namedText, notSupported} from '@palisade/kube-wire';
import type {Query} from '../query.ts';
import {isTrueParameter} from './parse-boolean.ts';
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

/** As a DELETE that says nothing. */
export const PLAIN_DELETE: DeleteOptions = {
  dryRun: false,
  gracePeriodSeconds: undefined,
  propagationPolicy: undefined,
  orphanDependents: undefined,
  preconditions: {},
};

/** As a body says it. */
export type SentDeleteOptions = {
  readonly dryRun?: readonly string[];
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly preconditions?: {readonly uid?: string; readonly resourceVersion?: string};
};

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

const fromQuery = (query: Query): SentDeleteOptions => {
  const grace = parseInt64(query.get('gracePeriodSeconds'));
  const policy = query.get('propagationPolicy');
  const orphan = query.get('orphanDependents');
  const uid = query.get('uid') ?? '';
  const resourceVersion = query.get('resourceVersion') ?? '';
  return {
    dryRun: query.all('dryRun'),
    preconditions: {...(uid === '' ? {} : {uid}), ...(resourceVersion === '' ? {} : {resourceVersion})},
    ...(grace === undefined ? {} : {gracePeriodSeconds: grace}),
    ...(policy === undefined ? {} : {propagationPolicy: policy}),
    ...(orphan === undefined ? {} : {orphanDependents: isTrueParameter(orphan)}),
  };
};

/** `body` undefined: the query counts. Throws StatusError 400, 422. */
export const parseDeleteOptions = (body: SentDeleteOptions | undefined, query: Query): DeleteOptions => {
  const sent = body ?? fromQuery(query);
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

const validate = (sent: SentDeleteOptions): FieldError[] => {
  const errors: FieldError[] = [];
  const {propagationPolicy: policy} = sent;
  if (policy !== undefined && sent.orphanDependents !== undefined) {
    errors.push(
      invalid('propagationPolicy', namedText(policy), 'orphanDependents and deletionPropagation cannot be both set'),
    );
  }
  if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(notSupported('propagationPolicy', namedText(policy), [...POLICIES, 'nil']));
  }
  errors.push(...validateDryRun(sent.dryRun ?? []));
  return errors;
};
