// SPDX-License-Identifier: Apache-2.0
/**
 * Resources compute on plain values; secrecy is taken off before and put back after.
 * The engine trusts what a provider answers, so a plain answer would store a secret in clear text.
 */
import type {CheckFailure} from './provider.ts';
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

const SHOWN = '[secret]';

/** The failures without the secret strings and numbers of `model`, which reasons quote. */
export function concealFailures(failures: readonly CheckFailure[], model: PropertyMap): readonly CheckFailure[] {
  if (failures.length === 0 || !containsSecrets(model)) return failures;
  const secrets = [...scalarsOf(model, false)].sort((a, b) => String(b).length - String(a).length);
  return failures.map(({property, reason}) => ({property, reason: secrets.reduce(withoutSecret, reason)}));
}

function* scalarsOf(value: PropertyValue, hidden: boolean): Generator<string | number> {
  if (isSecret(value)) yield* scalarsOf(value.value, true);
  else if (isPropertyList(value) || isPropertyMap(value)) {
    for (const member of Object.values(value)) yield* scalarsOf(member, hidden);
  } else if (hidden && (typeof value === 'number' || (typeof value === 'string' && value !== ''))) yield value;
}

/** Secret texts are removed everywhere; a number may also be part of a rule, so only one that is marked as a value is removed. */
function withoutSecret(reason: string, secret: string | number): string {
  if (typeof secret === 'string') return reason.replaceAll(JSON.stringify(secret), SHOWN);
  const digits = String(secret).replace(/[.+]/g, '\\$&');
  return reason.replace(new RegExp(`\\b(value|number) ${digits}(?![\\d.])`, 'g'), `$1 ${SHOWN}`);
}
