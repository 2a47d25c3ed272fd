// SPDX-License-Identifier: Apache-2.0
/** Reading plain property maps of which only the shape check knows that they are well-formed. */
import {isPropertyList, isPropertyMap, type PropertyMap, type PropertyValue} from './value.ts';

/** The map at a key; empty when there is none (or it is unknown). */
export function mapAt(map: PropertyMap, key: string): PropertyMap {
  const value = map[key];
  return isPropertyMap(value) ? value : {};
}

/** The list at a key; empty when there is none (or it is unknown). */
export function listAt(map: PropertyMap, key: string): readonly PropertyValue[] {
  const value = map[key];
  return isPropertyList(value) ? value : [];
}

/** The maps of the list at a key, with their index. Other members are left out. */
export function mapsAt(map: PropertyMap, key: string): readonly {readonly index: number; readonly map: PropertyMap}[] {
  return listAt(map, key).flatMap((value, index) => (isPropertyMap(value) ? [{index, map: value}] : []));
}

/** The string at a key; undefined when it is absent, empty or unknown. */
export function stringAt(map: PropertyMap, key: string): string | undefined {
  const value = map[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** True when something is given, be it unknown. The empty string is nothing. */
export function isGiven(map: PropertyMap, key: string): boolean {
  const value = map[key];
  return value !== undefined && value !== null && value !== '';
}

/** Equal JSON text with sorted keys means equal content. */
export function canonicalText(value: PropertyValue): string {
  if (isPropertyList(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isPropertyMap(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalText(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}
