// SPDX-License-Identifier: Apache-2.0
/**
 * The query parameters of list and watch. Ref: kubernetes v1.36
 * apimachinery/pkg/apis/meta/internalversion/validation/validation.go.
 */
import {
  type FieldError,
  type FieldSelector,
  forbidden,
  type LabelSelector,
  namedText,
  notSupported,
  parseFieldSelector,
  parseLabelSelector,
} from '@palisade/kube-wire';
import {badRequest} from '../../base/status-error.ts';
import type {Query} from '../query.ts';
import {isTrueParameter} from './parse-boolean.ts';
import {parseInt64} from './parse-integer.ts';
import {remembered} from './remembered.ts';
import {invalidOptions} from './write-options.ts';

export type ListOptions = {
  /** undefined: every object. */
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector;
  /** The texts of both selectors. */
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly watch: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly continueToken: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
};

const readLabels = remembered(parseLabelSelector);
const readFields = remembered(parseFieldSelector);

/** Throws StatusError 400 for what cannot be read; the first one in the order of upstream's struct counts, numbers before selectors. */
export const parseListOptions = (query: Query): ListOptions => {
  const timeoutSeconds = parseInt64(query.get('timeoutSeconds'));
  const limit = Math.max(0, parseInt64(query.get('limit')) ?? 0);
  const labelSelector = query.get('labelSelector') ?? '';
  const fieldSelector = query.get('fieldSelector') ?? '';
  return {
    labels: labelSelector === '' ? undefined : parsed(readLabels, labelSelector),
    fields: parsed(readFields, fieldSelector),
    labelSelector,
    fieldSelector,
    watch: isTrueParameter(query.get('watch')),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    continueToken: query.get('continue') ?? '',
    limit,
    timeoutSeconds,
    allowWatchBookmarks: isTrueParameter(query.get('allowWatchBookmarks')),
    sendInitialEvents: query.has('sendInitialEvents') ? isTrueParameter(query.get('sendInitialEvents')) : undefined,
  };
};

const parsed = <T>(parse: (text: string) => T, text: string): T => {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
};

const MATCH = 'resourceVersionMatch';

/** A watch of the present state begins with that state, and with its end marked, unless it says otherwise. */
export const withDefaults = (options: ListOptions): ListOptions => {
  const {watch, resourceVersion, resourceVersionMatch, sendInitialEvents} = options;
  if (!watch || sendInitialEvents !== undefined || resourceVersionMatch !== '') return options;
  if (resourceVersion !== '' && resourceVersion !== '0') return options;
  return {...options, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan'};
};

/** What is checked depends on the parameter `watch`, not on the path. Throws StatusError 422. */
export const validateListOptions = (options: ListOptions): void => {
  const errors = options.watch ? watchFaults(options) : listFaults(options);
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
};

const listFaults = (options: ListOptions): FieldError[] => {
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
      errors.push(notSupported(MATCH, namedText(match), ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && options.resourceVersion === '0') {
      errors.push(forbidden(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
};

const watchFaults = (options: ListOptions): FieldError[] => {
  const errors: FieldError[] = [];
  const {resourceVersionMatch: match, sendInitialEvents} = options;
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbidden(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, namedText(match), ['NotOlderThan']));
  if (options.continueToken !== '') {
    errors.push(forbidden(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  return errors;
};
