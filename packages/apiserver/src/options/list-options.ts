// SPDX-License-Identifier: Apache-2.0
/**
 * The query parameters of list and watch. Ref: kubernetes v1.36
 * apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 */
import {type FieldError, forbidden, notSupported} from '@palisade/wire/kube';
import type {Query} from '../http/query.ts';
import {isTrueParameter} from './parse-boolean.ts';
import {parseInt64} from './parse-integer.ts';
import {invalidOptions} from './write-options.ts';

export type ListOptions = {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continueToken: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
};

/** Throws StatusError 400 for numbers that are none; the first one in the order of upstream's struct counts. */
export const parseListOptions = (query: Query): ListOptions => {
  const timeoutSeconds = parseInt64(query.get('timeoutSeconds'));
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continueToken: query.get('continue') ?? '',
    limit: Math.max(0, parseInt64(query.get('limit')) ?? 0),
    timeoutSeconds,
    allowWatchBookmarks: isTrueParameter(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrueParameter(query.get('sendInitialEvents')) : undefined,
  };
};

const MATCH = 'resourceVersionMatch';

export const validateListOptions = (options: ListOptions): void => {
  const errors: FieldError[] = [];
  const {resourceVersionMatch: match} = options;
  if (match !== '') {
    if (options.resourceVersion === '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continueToken !== '') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
};

export const validateWatchOptions = (options: ListOptions): void => {
  const errors: FieldError[] = [];
  const {resourceVersionMatch: match, sendInitialEvents} = options;
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
    }
    if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  }
  if (options.continueToken !== '') {
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
};
