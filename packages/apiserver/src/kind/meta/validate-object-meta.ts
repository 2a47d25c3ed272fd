// SPDX-License-Identifier: Apache-2.0
/**
 * The rules of ObjectMeta that hold for every kind. Ref: kubernetes v1.36 apimachinery/pkg/api/validation/objectmeta.go,
 * apimachinery/pkg/apis/meta/v1/validation/validation.go, pkg/apis/core/validation ValidateObjectMeta.
 */
import {
  childPath,
  dns1123LabelFaults,
  encodeJson,
  type FieldError,
  forbidden,
  goQuote,
  indexPath,
  invalid,
  type Json,
  type JsonObject,
  labelValueFaults,
  namedText,
  PrintedValue,
  pathSegmentNameFaults,
  qualifiedNameFaults,
  required,
  tooLong,
} from '@palisade/kube-wire';
import type {ObjectMeta, OwnerReference} from '../../base/object.ts';
import type {KindDefinition} from '../kind.ts';
import {validateManagedFields} from './validate-managed-fields.ts';

/** Keys and values of all annotations together. */
export const ANNOTATIONS_BYTES_MAX = 256 * 1024;
export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', ORPHAN_FINALIZER, FOREGROUND_FINALIZER];
const OWNER_REFERENCE = 'io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference';
const METADATA = 'metadata';
const at = (name: string): string => childPath(METADATA, name);

export const validateObjectMeta = (meta: ObjectMeta, kind: KindDefinition): FieldError[] => [
  ...validateNames(meta, kind, nameRuleOf(kind)),
  ...validateParts(meta, validateMaps(meta, kind)),
  ...finalizerNameFaults(meta, kind),
];

/** The rules without those that a kind may set aside: the name need only be a segment of a path, finalizers need no prefix. */
export const commonMetaFaults = (meta: ObjectMeta, kind: KindDefinition): FieldError[] => [
  ...validateNames(meta, kind, pathSegmentNameFaults),
  ...validateParts(meta, validateMaps(meta, kind)),
];

/** What may not change, with the rules that upstream checks with it. Ref: pkg/apis/core/validation ValidateObjectMetaUpdate. */
export const validateObjectMetaChange = (next: ObjectMeta, before: ObjectMeta, kind: KindDefinition): FieldError[] => [
  ...validateChanges(next, before),
  ...flat(validateMaps(next, kind)),
  ...finalizerNameFaults(next, kind),
];

/** What the kind itself found: in the object, and in what may not change. */
type KindFaults = {readonly own: readonly FieldError[]; readonly changes: readonly FieldError[]};

/**
 * Every rule of the new metadata, what may not change, and the findings of the kind, in the reference's order: it checks
 * some of it several times, and clients that compare answers see the same list of causes here.
 */
export const validateObjectMetaUpdate = (
  next: ObjectMeta,
  before: ObjectMeta,
  kind: KindDefinition,
  {own, changes: ofKind}: KindFaults,
  subresource = '',
): FieldError[] => {
  const maps = validateMaps(next, kind);
  const changes = [...validateChanges(next, before), ...flat(maps)];
  const parts = validateParts(next, maps);
  const finalizers = finalizerNameFaults(next, kind);
  const common = [...validateNames(next, kind, pathSegmentNameFaults), ...parts, ...changes];
  const again = [...changes, ...finalizers];
  if (kind.strategy.checksMetadata === true) return [...common, ...own, ...ofKind];
  const order = subresource === '' ? kind.strategy.revalidation : undefined;
  if (order === undefined) return [...common, ...again, ...own, ...ofKind];
  const whole = [...validateNames(next, kind, nameRuleOf(kind)), ...parts, ...finalizers];
  if (order === 'changes-first') return [...common, ...again, ...ofKind, ...whole, ...own];
  return order === 'object-only' ? [...common, ...whole, ...own] : [...common, ...whole, ...own, ...again, ...ofKind];
};

const nameRuleOf =
  ({strategy}: KindDefinition) =>
  (name: string, prefix: boolean): readonly string[] =>
    strategy.validateName(name, prefix);

const validateNames = (
  meta: ObjectMeta,
  kind: KindDefinition,
  faultsOf: (name: string, prefix: boolean) => readonly string[],
): FieldError[] => {
  const {name = '', generateName = '', namespace = ''} = meta;
  const errors: FieldError[] = [];
  if (generateName !== '') {
    for (const fault of faultsOf(generateName, true)) errors.push(invalid(at('generateName'), generateName, fault));
  }
  if (name === '') errors.push(required(at('name'), 'name or generateName is required'));
  else for (const fault of faultsOf(name, false)) errors.push(invalid(at('name'), name, fault));
  if (!kind.namespaced) {
    if (namespace !== '') errors.push(forbidden(at('namespace'), 'not allowed on this type'));
  } else if (namespace === '') errors.push(required(at('namespace')));
  else for (const fault of dns1123LabelFaults(namespace)) errors.push(invalid(at('namespace'), namespace, fault));
  return errors;
};

/** Findings about the members of metadata that are maps and lists, by member, in the order they are reported. */
type MapFaults = {readonly members: readonly FieldError[]; readonly managedFields: readonly FieldError[]};

const NONE: readonly FieldError[] = [];
const flat = ({members, managedFields}: MapFaults): readonly FieldError[] =>
  managedFields.length === 0 ? members : [...members, ...managedFields];

const validateParts = (meta: ObjectMeta, maps: MapFaults): FieldError[] => {
  const errors: FieldError[] = [];
  if ((meta.generation ?? 0) < 0) {
    errors.push(invalid(at('generation'), meta.generation, 'must be greater than or equal to 0'));
  }
  errors.push(...maps.members);
  if (meta.finalizers !== undefined) errors.push(...validateFinalizers(meta.finalizers));
  errors.push(...maps.managedFields);
  return errors;
};

/** Labels, annotations and owners; and managedFields. */
const validateMaps = (meta: ObjectMeta, kind: KindDefinition): MapFaults => ({
  members: [
    ...(meta.labels === undefined ? NONE : validateLabels(meta.labels, at('labels'))),
    ...(meta.annotations === undefined ? NONE : validateAnnotations(meta.annotations)),
    ...(meta.ownerReferences === undefined ? NONE : validateOwnerReferences(meta.ownerReferences, kind)),
  ],
  managedFields:
    meta.managedFields === undefined ? NONE : validateManagedFields(meta.managedFields, at('managedFields')),
});

/** Keys without a prefix and values as nearly all are: by the rules, decided by one look. */
const PLAIN_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

/** Faults in the order of the document, which upstream's maps mostly keep while they are small. */
export const validateLabels = (labels: Readonly<Record<string, string>>, path: string): FieldError[] => {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    if (PLAIN_LABEL.test(key) && (value === '' || PLAIN_LABEL.test(value))) continue;
    for (const fault of qualifiedNameFaults(key)) errors.push(invalid(path, key, fault));
    for (const fault of labelValueFaults(value)) errors.push(invalid(path, value, fault));
  }
  return errors;
};

const validateAnnotations = (annotations: Readonly<Record<string, string>>): FieldError[] => {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    for (const fault of qualifiedNameFaults(key.toLowerCase())) errors.push(invalid(at('annotations'), key, fault));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_BYTES_MAX) errors.push(tooLong(at('annotations'), ANNOTATIONS_BYTES_MAX));
  return errors;
};

/** The version of `group/version`; '' when there is none to be found. */
const versionIn = (apiVersion: string): string => {
  const parts = apiVersion.split('/');
  return parts.length > 2 ? '' : (parts.at(-1) ?? '');
};

const validateOwnerReferences = (owners: readonly OwnerReference[], kind: KindDefinition): FieldError[] => {
  const path = at('ownerReferences');
  const errors: FieldError[] = [];
  const print = (owner: OwnerReference): string =>
    encodeJson(kind.types, OWNER_REFERENCE, owner as unknown as JsonObject);
  let controller: string | undefined;
  let all: PrintedValue | undefined;
  for (const owner of owners) {
    const {apiVersion = '', kind: ownerKind = '', name = '', uid = ''} = owner;
    if (versionIn(apiVersion) === '')
      errors.push(invalid(childPath(path, 'apiVersion'), apiVersion, 'version must not be empty'));
    if (ownerKind === '') errors.push(invalid(childPath(path, 'kind'), ownerKind, 'must not be empty'));
    if (name === '') errors.push(invalid(childPath(path, 'name'), name, 'must not be empty'));
    if (uid === '') errors.push(invalid(childPath(path, 'uid'), uid, 'must not be empty'));
    if (apiVersion === 'v1' && ownerKind === 'Event') {
      errors.push(invalid(path, new PrintedValue(print(owner)), '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) continue;
    const found = `${ownerKind}/${name}`;
    if (controller === undefined) controller = found;
    else {
      all ??= new PrintedValue(`[${owners.map(print).join(',')}]`);
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      errors.push(invalid(path, all, detail));
    }
  }
  return errors;
};

const validateFinalizers = (finalizers: readonly string[]): FieldError[] => {
  const path = at('finalizers');
  const errors: FieldError[] = [];
  for (const finalizer of finalizers) {
    for (const fault of qualifiedNameFaults(finalizer)) errors.push(invalid(path, finalizer, fault));
  }
  if (finalizers.includes(ORPHAN_FINALIZER) && finalizers.includes(FOREGROUND_FINALIZER)) {
    const detail = `finalizer ${ORPHAN_FINALIZER} and ${FOREGROUND_FINALIZER} cannot be both set`;
    errors.push(invalid(path, finalizers, detail));
  }
  return errors;
};

const standardNameFaults = (finalizer: string, path: string): FieldError[] =>
  finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
    ? []
    : [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];

/** Both rules for the name of a finalizer: its form, and that it is qualified or a standard one. */
export const validateFinalizerName = (finalizer: string, path: string): FieldError[] => [
  ...qualifiedNameFaults(finalizer).map(fault => invalid(path, finalizer, fault)),
  ...standardNameFaults(finalizer, path),
];

const finalizerNameFaults = ({finalizers = []}: ObjectMeta, {strategy}: KindDefinition): FieldError[] =>
  strategy.plainFinalizers === true
    ? []
    : finalizers.flatMap((finalizer, index) => standardNameFaults(finalizer, indexPath(at('finalizers'), index)));

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

const validateChanges = (next: ObjectMeta, before: ObjectMeta): FieldError[] => {
  const errors: FieldError[] = [];
  if (before.deletionTimestamp != null)
    errors.push(...newFinalizerFaults(next.finalizers ?? [], before.finalizers ?? []));
  if ((next.generation ?? 0) < (before.generation ?? 0)) {
    errors.push(invalid(at('generation'), next.generation ?? 0, 'must not be decremented'));
  }
  for (const key of IMMUTABLE) {
    if ((next[key] ?? undefined) === (before[key] ?? undefined)) continue;
    const value = next[key] ?? null;
    const shown = key === 'uid' && typeof value === 'string' ? namedText(value) : (value as Json);
    errors.push(invalid(at(key), shown, 'field is immutable'));
  }
  return errors;
};

const newFinalizerFaults = (next: readonly string[], before: readonly string[]): FieldError[] => {
  const known = new Set(before);
  const added = [...new Set(next.filter(finalizer => !known.has(finalizer)))].sort();
  if (added.length === 0) return [];
  const list = added.map(goQuote).join(', ');
  return [
    forbidden(
      at('finalizers'),
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
    ),
  ];
};
