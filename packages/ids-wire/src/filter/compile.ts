// SPDX-License-Identifier: Apache-2.0
/**
 * AIP-160 tree + schema → predicate. Every literal is checked against its field's kind here, so that matching cannot fail, and a value
 * that the field can never hold is refused instead of matching nothing.
 */
import {canonicalIp, ipSortKey, isInBlock, parseIpBlock} from '../ip-address.ts';
import {parseTimestamp} from '../timestamp.ts';
import {FilterError} from './filter-error.ts';
import {type Comparator, type FilterNode, type Literal, parseFilter} from './parse.ts';
import {type FieldKind, findField, type ListField, type ListSchema, noField, type TextForm} from './schema.ts';

export type Predicate<T> = (item: T) => boolean;

/**
 * The predicate of a filter; an empty one lets everything through. Throws FilterError for bad syntax, an unknown field, a literal
 * that does not fit its field, or a comparison that the field's kind does not have.
 *
 * A field that holds its default compares as that default (`description!="x"` holds for none); an absent map key equals nothing,
 * so `labels.k!=v` holds for it and every other comparison fails.
 */
export const compileFilter = <T>(text: string, schema: ListSchema<T>): Predicate<T> => {
  const tree = parseFilter(text);
  return tree === undefined ? () => true : compileFilterNode(tree, schema);
};

/** Of a part of a tree. */
export const compileFilterNode = <T>(node: FilterNode, schema: ListSchema<T>): Predicate<T> => {
  switch (node.node) {
    case 'and': {
      const children = node.children.map(child => compileFilterNode(child, schema));
      return item => children.every(child => child(item));
    }
    case 'or': {
      const children = node.children.map(child => compileFilterNode(child, schema));
      return item => children.some(child => child(item));
    }
    case 'not': {
      const child = compileFilterNode(node.child, schema);
      return item => !child(item);
    }
    case 'text':
      assertNoComparison(node, schema);
      return compileText(node.literal, schema);
    case 'compare':
      return compileComparison(node, schema);
  }
};

/** `alert_severity in (HIGH)` would look for three words. */
const assertNoComparison = <T>({literal, before}: Extract<FilterNode, {node: 'text'}>, schema: ListSchema<T>): void => {
  const {text, position} = literal;
  if (before === undefined || findField(schema, text.split('.')) === undefined) return;
  const way = {in: `${text}=(A OR B)`, is: `${text}=VALUE`}[before.toLowerCase()] ?? `${text}:VALUE`;
  throw new FilterError(`"${text} ${before}" is no comparison: write ${way}`, position);
};

/** A value that stands alone is looked for in the item's texts, whatever its case. */
const compileText = <T>(literal: Literal, schema: ListSchema<T>): Predicate<T> => {
  const has = containsSegments(literal.segments.map(s => s.toLowerCase()));
  const address = canonicalIp(literal.text).toLowerCase(); // the texts of items are canonical
  return item =>
    schema.texts(item).some(text => {
      const lower = text.toLowerCase();
      return has(lower) || lower.includes(address);
    });
};

type Comparison = Extract<FilterNode, {node: 'compare'}>;

const compileComparison = <T>(node: Comparison, schema: ListSchema<T>): Predicate<T> => {
  const {path, comparator, literal, position} = node;
  const found = findField(schema, path);
  if (found === undefined) throw new FilterError(noField(schema, path.join('.')), position);
  const {field, key} = found;
  const name = path.join('.');
  if (key !== undefined) return mapValue(field, key, comparator, literal);
  const anything = literal.text === '*' && literal.segments.length === 2;
  if (anything && (comparator === ':' || comparator === '=')) return item => isPresent(field.get(item));
  if (field.kind === 'map') {
    if (comparator !== ':')
      throw new FilterError(`"${name}" is a map: write ${name}.key="value" or ${name}:key`, position);
    return item => literal.text in (record(field.get(item)) ?? {});
  }
  if (field.kind === 'list') {
    if (comparator !== ':') throw new FilterError(`"${name}" is a list: write ${name}:"element"`, position);
    assertForm(field.form, name, literal);
    const holds = elementTest(field.freeText, literal);
    return item => ((field.get(item) as readonly string[] | undefined) ?? []).some(holds);
  }
  return scalar(field, name, comparator, literal);
};

const elementTest = (freeText: RegExp | undefined, {segments}: Literal): ((element: string) => boolean) => {
  const equal = equalsSegments(segments);
  if (freeText === undefined) return equal;
  const has = containsSegments(segments.map(s => s.toLowerCase()));
  return element => (freeText.test(element) ? has(element.toLowerCase()) : equal(element));
};

const record = (value: unknown): Readonly<Record<string, string>> | undefined =>
  value as Readonly<Record<string, string>> | undefined;

const isPresent = (value: unknown): boolean => {
  if (value === undefined || value === '' || value === false || value === 0) return false;
  return typeof value !== 'object' || value === null || Object.keys(value).length > 0;
};

const mapValue = <T>(field: ListField<T>, key: string, comparator: Comparator, literal: Literal): Predicate<T> => {
  const read = (item: T): string | undefined => {
    const map = record(field.get(item));
    return map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;
  };
  if (comparator === '=' || comparator === ':' || comparator === '!=') {
    const equal = equalsSegments(literal.segments);
    const holds = (item: T): boolean => {
      const value = read(item);
      return value !== undefined && equal(value);
    };
    return comparator === '!=' ? item => !holds(item) : holds;
  }
  const ordered = ORDER[comparator];
  return item => {
    const value = read(item);
    return value !== undefined && ordered(compareValues(value, literal.text));
  };
};

const ORDER: Readonly<Record<'<' | '<=' | '>' | '>=' | '=' | '!=', (sign: number) => boolean>> = {
  '<': sign => sign < 0,
  '<=': sign => sign <= 0,
  '>': sign => sign > 0,
  '>=': sign => sign >= 0,
  '=': sign => sign === 0,
  '!=': sign => sign !== 0,
};

const scalar = <T>(field: ListField<T>, name: string, comparator: Comparator, literal: Literal): Predicate<T> => {
  const unordered = field.kind === 'bool' || field.kind === 'ip' || (field.kind === 'enum' && !field.ordered);
  if (unordered && /[<>]/.test(comparator))
    throw new FilterError(`"${name}" has no order: use = or !=, not ${comparator}${literal.text}`, literal.position);
  if (field.kind === 'string') return stringComparison(field, name, comparator, literal);
  if (field.kind === 'ip') return ipComparison(field, name, comparator, literal);
  if (field.kind === 'enum' && literal.segments.length > 1 && !/[<>]/.test(comparator))
    return enumPattern(field, name, comparator, literal);
  const wanted = toComparable(field, literal, name);
  if (field.kind === 'number') assertReachable(field, name, comparator, literal);
  const test = ORDER[comparator === ':' ? '=' : comparator];
  return item => {
    const value = comparableOf(field, field.get(item));
    if (value === undefined) return comparator === '!=';
    return test(compareValues(value, wanted));
  };
};

const stringComparison = <T>(
  field: ListField<T> & {readonly kind: 'string'},
  name: string,
  comparator: Comparator,
  literal: Literal,
): Predicate<T> => {
  if (comparator === '=' || comparator === '!=') assertForm(field.form, name, literal);
  const read = (item: T): string => String(field.get(item) ?? '');
  if (comparator === ':') {
    const has = containsSegments(literal.segments.map(s => s.toLowerCase()));
    return item => has(read(item).toLowerCase());
  }
  if (comparator === '=' || comparator === '!=') {
    const equal = equalsSegments(literal.segments);
    return comparator === '=' ? item => equal(read(item)) : item => !equal(read(item));
  }
  const test = ORDER[comparator];
  return item => test(compareValues(read(item), literal.text));
};

const noSuchName = (names: readonly string[], name: string, text: string, position: number): FilterError =>
  new FilterError(`"${text}" is not a value of "${name}"; there are ${names.join(', ')}`, position);

const enumPattern = <T>(
  field: ListField<T> & {readonly kind: 'enum'},
  name: string,
  comparator: Comparator,
  {text, segments, position}: Literal,
): Predicate<T> => {
  const wanted = field.values.filter(equalsSegments(segments));
  if (wanted.length === 0) throw noSuchName(field.values, name, text, position);
  const holds = (item: T): boolean => wanted.includes(String(field.get(item)));
  return comparator === '!=' ? item => !holds(item) : holds;
};

/** `:` is `=`. A pattern with `*` is compared with the address as it is shown. */
const ipComparison = <T>(
  field: ListField<T> & {readonly kind: 'ip'},
  name: string,
  comparator: Comparator,
  {text, segments, position}: Literal,
): Predicate<T> => {
  const block = parseIpBlock(text);
  const isEmpty = text === '' && field.mayBeEmpty === true;
  if (block === undefined && !isEmpty && !(segments.length > 1 && couldBeIp(text)))
    throw new FilterError(
      `"${name}" is an IP address: "${text}" is neither an address nor a CIDR block such as 10.0.0.0/8 or 2001:db8::/32`,
      position,
    );
  const like = equalsSegments(segments.map(segment => segment.toLowerCase()));
  const equal = block === undefined ? like : (address: string) => isInBlock(block, address);
  const holds = (item: T): boolean => equal(String(field.get(item) ?? ''));
  return comparator === '!=' ? item => !holds(item) : holds;
};

/** Whether some address fits a pattern: hexadecimal digits, and without a colon the numbers of IPv4. */
const couldBeIp = (pattern: string): boolean => {
  if (!/^[0-9a-f:.*]+$/i.test(pattern)) return false;
  if (pattern.includes(':')) return true;
  const parts = pattern.split('.');
  return parts.length <= 4 && parts.every(part => part.includes('*') || (/^\d+$/.test(part) && Number(part) <= 255));
};

/** A text without wildcards has to be one that the field can hold. */
const assertForm = (form: TextForm | undefined, name: string, {text, segments, position}: Literal): void => {
  if (form === undefined || segments.length > 1 || form.pattern.test(text)) return;
  throw new FilterError(`"${name}" is ${form.is}: it can never be "${text}"`, position);
};

const assertReachable = (
  {min, max}: FieldKind & {readonly kind: 'number'},
  name: string,
  comparator: Comparator,
  {text, position}: Literal,
): void => {
  const value = Number(text);
  const reached: Readonly<Record<Comparator, boolean>> = {
    '<': value > min,
    '<=': value >= min,
    '>': value < max,
    '>=': value <= max,
    '=': Number.isInteger(value) && value >= min && value <= max,
    '!=': Number.isInteger(value) && value >= min && value <= max,
    ':': Number.isInteger(value) && value >= min && value <= max,
  };
  if (reached[comparator]) return;
  const range = max === Number.POSITIVE_INFINITY ? `${min} or more` : `from ${min} to ${max}`;
  throw new FilterError(`"${name}" is a whole number, ${range}: it can never be ${comparator}${text}`, position);
};

/** The literal as the number or text that values of this field are compared by. Throws FilterError when it does not fit. */
const toComparable = (field: FieldKind, {text, position}: Literal, name: string): string | number => {
  switch (field.kind) {
    case 'bool':
      if (text !== 'true' && text !== 'false')
        throw new FilterError(`"${name}" is true or false, not "${text}"`, position);
      return text === 'true' ? 1 : 0;
    case 'enum': {
      const index = field.values.indexOf(text);
      if (index === -1) throw noSuchName(field.values, name, text, position);
      return index;
    }
    case 'timestamp': {
      const ms = parseTimestamp(text);
      if (ms === undefined)
        throw new FilterError(
          `"${name}" is a time: "${text}" is not an RFC 3339 time such as 2024-05-27T22:22:32Z`,
          position,
        );
      return ms;
    }
    case 'number': {
      if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text))
        throw new FilterError(`"${text}" is not a number, as "${name}" is`, position);
      return Number(text);
    }
    default:
      return text;
  }
};

/** An item's value in the form that it sorts and compares by; undefined: the item has none. */
export const comparableOf = (field: FieldKind, value: unknown): string | number | undefined => {
  switch (field.kind) {
    case 'bool':
      return value === true ? 1 : 0;
    case 'enum': {
      const index = field.values.indexOf(String(value));
      return index === -1 ? undefined : index;
    }
    case 'timestamp':
      return typeof value === 'string' ? parseTimestamp(value) : undefined;
    case 'ip':
      return typeof value === 'string' ? ipSortKey(value) : undefined;
    case 'number':
      return value === undefined || value === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
    default:
      return value === undefined ? '' : String(value);
  }
};

/** Numbers by value, strings by code unit. */
export const compareValues = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);

const equalsSegments = (segments: readonly string[]): ((text: string) => boolean) => {
  const [first = '', ...rest] = segments;
  if (rest.length === 0) return text => text === first;
  const last = rest.pop() ?? '';
  return text => {
    if (!text.startsWith(first)) return false;
    const end = findInOrder(text, rest, first.length);
    return end !== undefined && text.length - last.length >= end && text.endsWith(last);
  };
};

const containsSegments = (segments: readonly string[]): ((text: string) => boolean) => {
  return text => findInOrder(text, segments, 0) !== undefined;
};

/** Each part after the one before it; the index after the last, or undefined. Linear, unlike a regular expression. */
const findInOrder = (text: string, parts: readonly string[], from: number): number | undefined => {
  let at = from;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found === -1) return undefined;
    at = found + part.length;
  }
  return at;
};
