// SPDX-License-Identifier: Apache-2.0
/**
 * The query parameters of writes: dryRun, fieldManager, fieldValidation, force.
 * Ref: kubernetes v1.36 apimachinery/pkg/apis/meta/v1/validation/validation.go.
 */
import {type FieldError, forbidden, invalid, notSupported, required, tooLong} from '@palisade/kube-wire';
import {headerText} from '../../base/header-text.ts';
import {invalidObject} from '../../base/status-error.ts';
import type {Query} from '../query.ts';

const FIELD_MANAGER_BYTES_MAX = 128;
const META_GROUP = 'meta.k8s.io';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export type WriteOptions = {
  readonly dryRun: boolean;
  /** As sent; '' when absent. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
};

export type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions';

export const invalidOptions = (kind: OptionsKind, errors: readonly FieldError[]): Error =>
  invalidObject({group: META_GROUP, kind}, '', errors);

const VALIDATIONS: readonly string[] = ['', 'Ignore', 'Strict', 'Warn'];

/** As Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the plain space. */
const isPrintable = (character: string): boolean =>
  character === ' ' || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character);

const PLAIN_MANAGER = /^[\x20-\x7e]{0,128}$/;

export const validateFieldManager = (manager: string, path: string): FieldError[] => {
  if (PLAIN_MANAGER.test(manager)) return [];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > FIELD_MANAGER_BYTES_MAX) errors.push(tooLong(path, FIELD_MANAGER_BYTES_MAX));
  let bytes = 0;
  for (const character of manager) {
    if (!isPrintable(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      errors.push(invalid(path, manager, `invalid character U+${code} (at position ${bytes})`));
    }
    bytes += Buffer.byteLength(character);
  }
  return errors;
};

export const validateDryRun = (dryRun: readonly string[]): FieldError[] =>
  dryRun.every(value => value === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])];

const validateCommon = (query: Query): FieldError[] => {
  const validation = query.get('fieldValidation') ?? '';
  return [
    ...validateFieldManager(query.get('fieldManager') ?? '', 'fieldManager'),
    ...validateDryRun(query.all('dryRun')),
    ...(VALIDATIONS.includes(validation) ? [] : [notSupported('fieldValidation', validation, VALIDATIONS)]),
  ];
};

const read = (query: Query): WriteOptions => {
  const validation = query.get('fieldValidation') ?? '';
  return {
    dryRun: query.has('dryRun'),
    fieldManager: query.get('fieldManager') ?? '',
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
  };
};

/** Throws StatusError 422 with every fault of the parameters. */
export const parseWriteOptions = (query: Query, kind: 'CreateOptions' | 'UpdateOptions'): WriteOptions => {
  const errors = validateCommon(query);
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return read(query);
};

/** `force` is a boolean whose every text but false, 0 and False means true. */
const parseForce = (query: Query): boolean | undefined => {
  const text = query.get('force');
  return text === undefined ? undefined : text !== 'false' && text !== '0' && text !== 'False';
};

export type PatchOptions = WriteOptions & {readonly force: boolean};

export const parsePatchOptions = (query: Query, isApply: boolean): PatchOptions => {
  const errors: FieldError[] = [];
  const force = parseForce(query);
  if (!isApply && force !== undefined) errors.push(forbidden('force', 'may not be specified for non-apply patch'));
  if (isApply && (query.get('fieldManager') ?? '') === '')
    errors.push(required('fieldManager', 'is required for apply patch'));
  errors.push(...validateCommon(query));
  if (errors.length > 0) throw invalidOptions('PatchOptions', errors);
  return {...read(query), force: force ?? false};
};

/** The manager of a write that names none: the client's name up to the first slash. Ref: managedfields prefixFromUserAgent. */
export const managerOf = (options: {readonly fieldManager: string}, userAgent: string | undefined): string => {
  if (options.fieldManager !== '') return options.fieldManager;
  const [name = ''] = headerText(userAgent ?? '').split('/', 1);
  return PLAIN_MANAGER.test(name) ? name : cutToBytes(name, FIELD_MANAGER_BYTES_MAX);
};

/** Printable characters of the text, as many as fit. */
const cutToBytes = (text: string, bytesMax: number): string => {
  let out = '';
  let bytes = 0;
  for (const character of text) {
    if (!isPrintable(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    out += character;
  }
  return out;
};
