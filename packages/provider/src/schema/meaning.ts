// SPDX-License-Identifier: Apache-2.0
/**
 * What values mean to a server, by their description: defaults that it fills in, empty things that it drops.
 * Values of equal meaning are equal after `withDefaults` and `withoutEmpty`. Unknowns stay where they are.
 */
import {isPropertyList, isPropertyMap, type PropertyMap, type PropertyValue} from '../value.ts';
import type {PackageDescription, Properties, PropertyDescription, TypeDescription} from './package-description.ts';

const propertiesOf = (description: PackageDescription, type: TypeDescription): Properties =>
  type.kind === 'ref' ? (description.types[type.to]?.properties ?? {}) : {};

const isEmptyScalar = (value: PropertyValue | undefined): boolean => value === '' || value === 0 || value === false;

/** As good as nothing, to the server. */
const isAbsent = (value: PropertyValue | undefined, property: PropertyDescription): boolean =>
  value === undefined || value === null || (isEmptyScalar(value) && !property.keepsEmpty);

/** With the defaults of all members that are absent. */
export function withDefaults(
  description: PackageDescription,
  type: TypeDescription,
  value: PropertyValue,
): PropertyValue {
  if (type.kind === 'list')
    return isPropertyList(value) ? value.map(member => withDefaults(description, type.of, member)) : value;
  if (type.kind !== 'ref' || !isPropertyMap(value)) return value;
  const full: Record<string, PropertyValue> = {...value};
  for (const [key, property] of Object.entries(propertiesOf(description, type))) {
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member !== undefined) full[key] = withDefaults(description, property.type, member);
    if (property.default !== undefined && isAbsent(member, property)) full[key] = property.default;
  }
  return full;
}

/** The opposite: without members that equal their default, unless `written` has them at the same place. */
export function withoutDefaults(
  description: PackageDescription,
  type: TypeDescription,
  value: PropertyValue,
  written?: PropertyValue,
): PropertyValue {
  if (type.kind === 'list') {
    const like = isPropertyList(written) ? written : [];
    return isPropertyList(value)
      ? value.map((member, i) => withoutDefaults(description, type.of, member, like[i]))
      : value;
  }
  if (type.kind !== 'ref' || !isPropertyMap(value)) return value;
  const like = isPropertyMap(written) ? written : {};
  const kept: Record<string, PropertyValue> = {};
  for (const [key, member] of Object.entries(value)) {
    const property = propertiesOf(description, type)[key];
    if (property !== undefined && member === property.default && like[key] === undefined) continue;
    kept[key] = property === undefined ? member : withoutDefaults(description, property.type, member, like[key]);
  }
  return kept;
}

/**
 * Without empty texts, lists, objects, zeros and `false` that the server drops. Values of maps stay, as an empty one is a value; so do
 * members of lists.
 */
export function withoutEmpty(description: PackageDescription, properties: Properties, map: PropertyMap): PropertyMap {
  const kept: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(map)) {
    const property = properties[key];
    if (value === null || value === '' || (isEmptyScalar(value) && !property?.keepsEmpty)) continue;
    const full = property === undefined ? value : membersWithoutEmpty(description, property.type, value);
    const isEmpty = (isPropertyList(full) || isPropertyMap(full)) && Object.keys(full).length === 0;
    if (!isEmpty || (property?.keepsEmpty && isPropertyMap(full))) kept[key] = full;
  }
  return kept;
}

function membersWithoutEmpty(
  description: PackageDescription,
  type: TypeDescription,
  value: PropertyValue,
): PropertyValue {
  if (type.kind === 'list' && isPropertyList(value))
    return value.map(member => membersWithoutEmpty(description, type.of, member));
  if (type.kind === 'ref' && isPropertyMap(value))
    return withoutEmpty(description, propertiesOf(description, type), value);
  return value;
}

/** Only members that the description has, at any depth. */
export function onlyDescribed(
  description: PackageDescription,
  type: TypeDescription,
  value: PropertyValue,
): PropertyValue {
  if (type.kind === 'list' && isPropertyList(value))
    return value.map(member => onlyDescribed(description, type.of, member));
  if (type.kind !== 'ref' || !isPropertyMap(value)) return value;
  const properties = propertiesOf(description, type);
  const kept = Object.entries(value).flatMap(([key, member]) => {
    const property = properties[key];
    return property === undefined ? [] : [[key, onlyDescribed(description, property.type, member)] as const];
  });
  return Object.fromEntries(kept);
}
