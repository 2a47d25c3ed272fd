// SPDX-License-Identifier: Apache-2.0
/**
 * Property values ⇄ the JSON form of `google.protobuf.Struct` that the Pulumi protocol carries.
 *
 * Wire forms: a secret is `{"4dab…": "1b47…", "value": v}`; an unknown is the string `04da6b54-…`; an output value is
 * `{"4dab…": "d0e6…", "value"?: v, "secret"?: bool, …}` and becomes the value with its wrappers (no value: unknown).
 * Everything else with the signature key passes through untouched. Absent object members stay absent; `null` stays `null`.
 */
import {
  isSecret,
  isUnknown,
  OUTPUT_VALUE_SIGNATURE,
  type PropertyMap,
  type PropertyValue,
  SECRET_SIGNATURE,
  SIGNATURE_KEY,
  secretOf,
  UNKNOWN,
  UNKNOWN_SENTINEL,
} from './value.ts';

/** A JSON value, as `Struct.toJavaScript` gives it and `Struct.fromJavaScript` takes it. */
export type WireValue = null | boolean | number | string | readonly WireValue[] | {readonly [key: string]: WireValue};
export type WireMap = {readonly [key: string]: WireValue};

export type EncodeOptions = {
  /** False: secrets are sent in the clear, for a peer that did not say it accepts them. Default true. */
  readonly keepSecrets?: boolean | undefined;
};

export function encodeProperties(map: PropertyMap, options: EncodeOptions = {}): WireMap {
  return encodeMap(map, options.keepSecrets !== false);
}

function encodeMap(map: PropertyMap, keepSecrets: boolean): WireMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, encodeValue(value, keepSecrets)]));
}

function encodeValue(value: PropertyValue, keepSecrets: boolean): WireValue {
  if (value === null || typeof value !== 'object') return value;
  if (isUnknown(value)) return UNKNOWN_SENTINEL;
  if (isSecret(value)) {
    const inner = encodeValue(value.value, keepSecrets);
    return keepSecrets ? {[SIGNATURE_KEY]: SECRET_SIGNATURE, value: inner} : inner;
  }
  if (Array.isArray(value)) return value.map((member: PropertyValue) => encodeValue(member, keepSecrets));
  return encodeMap(value as PropertyMap, keepSecrets);
}

export function decodeProperties(wire: WireMap): PropertyMap {
  // An assignment of the key `__proto__` would set the prototype.
  return Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, decodeValue(value)]));
}

export function decodeValue(wire: WireValue): PropertyValue {
  if (wire === UNKNOWN_SENTINEL) return UNKNOWN;
  if (wire === null || typeof wire !== 'object') return wire;
  if (Array.isArray(wire)) return wire.map((member: WireValue) => decodeValue(member));
  const object = wire as WireMap;
  const signature = object[SIGNATURE_KEY];
  if (signature === SECRET_SIGNATURE) return secretOf(decodeValue(object['value'] ?? null));
  if (signature === OUTPUT_VALUE_SIGNATURE) {
    const inner = object['value'] === undefined ? UNKNOWN : decodeValue(object['value']);
    return object['secret'] === true ? secretOf(inner) : inner;
  }
  return decodeProperties(object);
}
