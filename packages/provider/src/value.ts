// SPDX-License-Identifier: Apache-2.0
/**
 * Property values as the engine and the providers exchange them in process: plain JSON values plus two wrappers.
 * A wrapper may stand at any depth, also for a whole list or object.
 *
 * Resource references, assets and archives stay what they are on the wire: objects with the signature key; nobody here
 * looks into them. Ref: Pulumi deployment protocol, property value encoding.
 */

/** Key of every specially encoded object on the wire. */
export const SIGNATURE_KEY = '4dabf18193072939515e22adb298388d';
export const SECRET_SIGNATURE = '1b47061264138c4ac30d75fd1eb44270';
export const RESOURCE_REFERENCE_SIGNATURE = '5cf8f73096256a8f31e491e813e4eb8e';
export const OUTPUT_VALUE_SIGNATURE = 'd0e6a833031e9bbcd3f4e8bde6ca49a4';
/** The string that stands for a value nobody knows yet. */
export const UNKNOWN_SENTINEL = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

/** A value that must not be shown or stored in the clear. Secrets do not nest: `secretOf` keeps one layer. */
export class Secret {
  readonly value: PropertyValue;
  constructor(value: PropertyValue) {
    this.value = value;
  }
}

/** A value that is known only after the deployment. There is one instance, `UNKNOWN`. */
export class Unknown {
  readonly unknown = true;
}
export const UNKNOWN: Unknown = Object.freeze(new Unknown());

export type PropertyValue =
  | null
  | boolean
  | number
  | string
  | readonly PropertyValue[]
  | {readonly [key: string]: PropertyValue}
  | Secret
  | Unknown;

/** The properties of one resource by their camelCase names. An absent key and `null` both mean "not set". */
export type PropertyMap = {readonly [key: string]: PropertyValue};

export const isSecret = (value: unknown): value is Secret => value instanceof Secret;
export const isUnknown = (value: unknown): value is Unknown => value instanceof Unknown;

/** A plain object: neither null, list nor wrapper. */
export function isPropertyMap(value: PropertyValue | undefined): value is PropertyMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSecret(value) && !isUnknown(value);
}

export function isPropertyList(value: PropertyValue | undefined): value is readonly PropertyValue[] {
  return Array.isArray(value);
}

/** Wraps once: a secret of a secret is the same secret. */
export const secretOf = (value: PropertyValue): Secret => (isSecret(value) ? value : new Secret(value));

/** True when an unknown stands anywhere in the value, also below a secret. */
export function containsUnknowns(value: PropertyValue | undefined): boolean {
  if (value === undefined || value === null || typeof value !== 'object') return false;
  if (isUnknown(value)) return true;
  if (isSecret(value)) return containsUnknowns(value.value);
  return Object.values(value).some(containsUnknowns);
}

/** True when a secret stands anywhere in the value. */
export function containsSecrets(value: PropertyValue | undefined): boolean {
  if (value === undefined || value === null || typeof value !== 'object' || isUnknown(value)) return false;
  return isSecret(value) || Object.values(value).some(containsSecrets);
}
