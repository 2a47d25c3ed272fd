// SPDX-License-Identifier: Apache-2.0
/** Label and field selectors of a list, watch or deletecollection, ready to be asked per object. */
import {type FieldSelector, goQuote, type LabelSelector} from '@palisade/kube-wire';
import type {Limits} from '../base/limits.ts';
import type {KubeObject} from '../base/object.ts';
import {badRequest} from '../base/status-error.ts';
import {type CachedObject, decodeItem} from '../cache/cached-object.ts';
import type {KindDefinition} from '../kind/kind.ts';
import type {ListOptions} from '../request/options/list-options.ts';

export type Selection = {
  /** Nothing is filtered. */
  readonly matchesAll: boolean;
  /** Only this name can match. */
  readonly name: string | undefined;
  /** Only objects of this namespace can match. */
  readonly namespace: string | undefined;
  /** A label that every match has with exactly this value. */
  readonly label: {readonly key: string; readonly value: string} | undefined;
  /** Nothing but `label` is asked for. */
  readonly isOneLabel: boolean;
  /** Equal for selections that let the same objects through, as far as their text shows it. */
  readonly key: string;
  /** `matches` decodes objects, so it takes long: for many of them it is asked in steps. */
  readonly decodes: boolean;
  matches(object: CachedObject): boolean;
};

/** A requirement on a field: what the cache knows of each object, or what only its decoded form shows. */
type FieldTest = (object: CachedObject) => boolean;
type DecodedTest = (object: KubeObject) => boolean;
type FieldTests = {readonly plain: FieldTest[]; readonly decoded: DecodedTest[]};

const COMMON_FIELDS: ReadonlyMap<string, (object: CachedObject) => string> = new Map([
  ['metadata.name', object => object.name],
  ['metadata.namespace', object => object.namespace],
]);

/** A kind that names its selectable fields itself has a namespace among them only if it is in one. */
const hasNamespaceField = ({namespaced, strategy}: KindDefinition): boolean =>
  namespaced || strategy.selectableFields === undefined;

const fieldTests = (selector: FieldSelector, kind: KindDefinition): FieldTests => {
  const tests: FieldTests = {plain: [], decoded: []};
  for (const {field, operator, value} of selector.requirements) {
    const common = COMMON_FIELDS.get(field);
    const {selectableFields = {}} = kind.strategy;
    const own = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
    if (field === 'metadata.namespace' && own === undefined && !hasNamespaceField(kind))
      throw unknownField(field, kind);
    const isWanted = (found: string): boolean => (found === value) === (operator !== '!=');
    if (common !== undefined) tests.plain.push(object => isWanted(common(object)));
    else if (own !== undefined) tests.decoded.push(object => isWanted(own(object)));
    else throw unknownField(field, kind);
  }
  return tests;
};

const unknownField = (field: string, kind: KindDefinition): Error => {
  if (kind.strategy.selectableFields !== undefined) return badRequest(`field label not supported: ${field}`);
  return badRequest(`${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
};

/** The value that the selector demands of a field. */
const exactValue = (selector: FieldSelector, of: string): string | undefined =>
  selector.requirements.find(({field, operator}) => field === of && operator !== '!=')?.value;

const exactLabel = (selector: LabelSelector | undefined): Selection['label'] => {
  for (const {key, operator, values} of selector?.requirements ?? []) {
    const [value] = values;
    const isExact = operator === '=' || operator === '==' || (operator === 'in' && values.length === 1);
    if (isExact && value !== undefined) return {key, value};
  }
  return undefined;
};

const NAME_MISMATCH = "fieldSelector metadata.name doesn't match requested name";

/** Throws StatusError 400 for a field that the kind does not have, and for a watch of one name that selects another. */
export const parseSelection = (
  options: Pick<ListOptions, 'labels' | 'fields' | 'labelSelector' | 'fieldSelector'>,
  kind: KindDefinition,
  info: {readonly name: string},
  limits: Limits,
): Selection => {
  for (const text of [options.labelSelector, options.fieldSelector]) {
    if (text.length > limits.selectorCharactersMax) {
      throw badRequest(`selector is too long: may not be more than ${limits.selectorCharactersMax} characters`);
    }
  }
  const {labels, fields} = options;
  const {plain, decoded} = fieldTests(fields, kind);
  const name = exactValue(fields, 'metadata.name');
  if (info.name !== '') {
    if (fields.requirements.length > 0 && name !== info.name) throw badRequest(NAME_MISMATCH);
    plain.push(object => object.name === info.name);
  }
  const asked = plain.length + decoded.length + (labels?.requirements.length ?? 0);
  const label = exactLabel(labels);
  return {
    matchesAll: asked === 0,
    label,
    isOneLabel: asked === 1 && label !== undefined,
    name: info.name === '' ? name : info.name,
    namespace: exactValue(fields, 'metadata.namespace'),
    key: `${info.name}\n${options.labelSelector}\n${options.fieldSelector}`,
    decodes: decoded.length > 0,
    matches: object => {
      for (const test of plain) if (!test(object)) return false;
      if (labels !== undefined && !labels.matches(object.labels)) return false;
      if (decoded.length === 0) return true;
      const content = decodeItem(object);
      return decoded.every(test => test(content));
    },
  };
};
