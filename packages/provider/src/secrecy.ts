// SPDX-License-Identifier: Apache-2.0
/**
 * Resources compute on plain values; secrecy is taken off before and put back after.
 * The engine trusts what a provider answers, so a plain answer would store a secret in clear text.
 */
import {
  containsSecrets,
  isPropertyList,
  isPropertyMap,
  isSecret,
  isUnknown,
  type PropertyMap,
  type PropertyValue,
  secretOf,
} from './value.ts';

/** A copy without any Secret wrapper; unknowns stay. */
export function revealProperties(map: PropertyMap): PropertyMap {
  const plain: Record<string, PropertyValue> = {};
  for (const [key, value] of Object.entries(map)) plain[key] = reveal(value);
  return plain;
}

function reveal(value: PropertyValue): PropertyValue {
  if (isSecret(value)) return reveal(value.value);
  if (isPropertyList(value)) return value.map(reveal);
  if (isPropertyMap(value)) return revealProperties(value);
  return value;
}

/**
 * Marks as secret in `plain` whatever is secret in one of the `models` (checked in order, all of them apply).
 * Members of lists are matched by index while both lists have the same length; where they differ in length and any member of the
 * model holds a secret, the whole list becomes secret: which member is which is not known any more.
 */
export function concealProperties(plain: PropertyMap, ...models: readonly PropertyMap[]): PropertyMap {
  let result = plain;
  for (const model of models) {
    if (!containsSecrets(model)) continue;
    const marked: Record<string, PropertyValue> = {};
    for (const [key, value] of Object.entries(result)) {
      marked[key] = conceal(value, Object.hasOwn(model, key) ? model[key] : undefined);
    }
    result = marked;
  }
  return result;
}

function conceal(value: PropertyValue, model: PropertyValue | undefined): PropertyValue {
  if (model === undefined || isSecret(value)) return value;
  if (isSecret(model)) return secretOf(value);
  if (isUnknown(value) || !containsSecrets(model)) return value;
  if (isPropertyMap(value) && isPropertyMap(model)) return concealProperties(value, model);
  if (isPropertyList(value) && isPropertyList(model) && value.length === model.length) {
    return value.map((member, i) => conceal(member, model[i]));
  }
  return secretOf(value);
}
