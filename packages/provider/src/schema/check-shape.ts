// SPDX-License-Identifier: Apache-2.0
/** Inputs against a package description: what is dropped silently, and every fault of names and types. Unknowns fit anywhere. */
import {formatPropertyPath, type PropertyPath} from '../property-path.ts';
import type {CheckFailure} from '../provider.ts';
import {isPropertyList, isPropertyMap, isUnknown, type PropertyMap, type PropertyValue} from '../value.ts';
import type {PackageDescription, Properties, TypeDescription} from './package-description.ts';

/**
 * A copy without `null` members, without SDK bookkeeping (`__defaults`) and without fields that only the server sets:
 * a whole `metadata` of another resource may be passed on, and nothing of it becomes an input by accident. `null` in lists stays.
 */
export function cleanInputs(description: PackageDescription, properties: Properties, inputs: PropertyMap): PropertyMap {
  const clean: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(inputs)) {
    const property = properties[key];
    if (value === null || key.startsWith('__') || property?.readOnly) continue;
    clean[key] = property === undefined ? value : cleanValue(description, property.type, value);
  }
  return clean;
}

function cleanValue(description: PackageDescription, type: TypeDescription, value: PropertyValue): PropertyValue {
  if (type.kind === 'list' && isPropertyList(value))
    return value.map(member => cleanValue(description, type.of, member));
  if (!isPropertyMap(value)) return value;
  if (type.kind === 'ref') return cleanInputs(description, description.types[type.to]?.properties ?? {}, value);
  if (type.kind !== 'map') return value;
  const kept = Object.entries(value).filter(([key, member]) => member !== null && key !== '__defaults');
  return Object.fromEntries(kept.map(([key, member]) => [key, cleanValue(description, type.of, member)]));
}

/** Every unknown name, wrong type, missing required property and value outside a closed enumeration. */
export function checkShape(
  description: PackageDescription,
  properties: Properties,
  inputs: PropertyMap,
  at: PropertyPath = [],
): CheckFailure[] {
  const failures: CheckFailure[] = [];
  for (const [key, value] of Object.entries(inputs)) {
    const path = [...at, key];
    const property = properties[key];
    if (property === undefined)
      failures.push({property: formatPropertyPath(path), reason: unknownName(key, properties)});
    else failures.push(...checkValue(description, property.type, value, path));
  }
  for (const [key, property] of Object.entries(properties)) {
    if (property.required && (inputs[key] ?? null) === null) {
      failures.push({property: formatPropertyPath([...at, key]), reason: 'missing required property'});
    }
  }
  return failures;
}

function checkValue(
  description: PackageDescription,
  type: TypeDescription,
  value: PropertyValue,
  path: PropertyPath,
): CheckFailure[] {
  if (isUnknown(value) || type.kind === 'json') return [];
  if (type.kind === 'list') {
    if (!isPropertyList(value)) return [mismatch(path, 'a list', value)];
    return value.flatMap((member, i) => checkValue(description, type.of, member, [...path, i]));
  }
  if (type.kind === 'map' || type.kind === 'ref') {
    if (!isPropertyMap(value)) return [mismatch(path, 'an object', value)];
    if (type.kind === 'ref') return checkShape(description, description.types[type.to]?.properties ?? {}, value, path);
    return Object.entries(value).flatMap(([key, member]) => checkValue(description, type.of, member, [...path, key]));
  }
  if (type.kind === 'enum') return checkEnum(description, type, value, path);
  if (type.kind === 'integer') {
    return Number.isSafeInteger(value) ? [] : [mismatch(path, 'an integer', value)];
  }
  return typeof value === type.kind ? [] : [mismatch(path, `a ${type.kind}`, value)];
}

function checkEnum(
  description: PackageDescription,
  type: Extract<TypeDescription, {kind: 'enum'}>,
  value: PropertyValue,
  path: PropertyPath,
): CheckFailure[] {
  if (typeof value !== 'string') return [mismatch(path, 'a string', value)];
  const allowed = (description.enums[type.to]?.values ?? []).map(member => member.value);
  if (allowed.includes(value)) return [];
  const reason = `unsupported value ${JSON.stringify(value)}: supported values are ${allowed.join(', ')}`;
  return [{property: formatPropertyPath(path), reason}];
}

function mismatch(path: PropertyPath, expected: string, value: PropertyValue): CheckFailure {
  return {property: formatPropertyPath(path), reason: `expected ${expected}, got ${describe(value)}`};
}

function describe(value: PropertyValue): string {
  if (value === null) return 'null';
  if (isPropertyList(value)) return 'a list';
  if (isPropertyMap(value)) return 'an object';
  return `the ${typeof value} ${JSON.stringify(value)}`;
}

function unknownName(key: string, properties: Properties): string {
  const near = Object.keys(properties).find(name => name.toLowerCase() === key.replaceAll('_', '').toLowerCase());
  return near === undefined ? 'unknown property' : `unknown property; did you mean ${near}?`;
}
