// SPDX-License-Identifier: Apache-2.0
/**
 * The one source that the Pulumi schema, the SDKs and the provider's own input checks are made from.
 * A description says each thing once; `to-pulumi-schema.ts`, the SDK generators and `check-shape.ts` read it.
 */

/** Type of a property. `ref` and `enum` name a member of the same package by its token tail, e.g. `core/v1:EndpointPort`. */
export type TypeDescription =
  | {readonly kind: 'string'}
  | {readonly kind: 'integer'}
  | {readonly kind: 'boolean'}
  /** Any JSON value. */
  | {readonly kind: 'json'}
  | {readonly kind: 'ref'; readonly to: string}
  /** `open`: other strings type-check too, because the specification calls the field a string. */
  | {readonly kind: 'enum'; readonly to: string; readonly open?: boolean}
  | {readonly kind: 'list'; readonly of: TypeDescription}
  | {readonly kind: 'map'; readonly of: TypeDescription};

export type PropertyDescription = {
  readonly type: TypeDescription;
  /** Prose for the schema, the SDKs' docstrings and the reference. */
  readonly doc: string;
  /** An input that must be given. */
  readonly required?: boolean;
  /** A change re-creates the resource. */
  readonly replaces?: boolean;
  /** Never an input: dropped by check, because only the server sets it. */
  readonly readOnly?: boolean;
  readonly deprecated?: string;
  /** What the server fills in. Shown in the schema; the provider applies it to outputs and comparisons, never to inputs. */
  readonly default?: string | number | boolean;
  /** An empty object, 0 or false differs from nothing (a pointer in Go); of other properties the server drops it. */
  readonly keepsEmpty?: boolean;
  /** Configuration only: masked in the state. */
  readonly secret?: boolean;
};

export type Properties = {readonly [name: string]: PropertyDescription};
export type ObjectDescription = {readonly doc: string; readonly properties: Properties};
export type EnumDescription = {
  readonly doc: string;
  readonly values: readonly {readonly name: string; readonly value: string; readonly doc: string}[];
};
export type ResourceDescription = {
  readonly doc: string;
  /** Inputs; every one is an output too. */
  readonly inputs: Properties;
  /** What only the provider sets. */
  readonly outputs: Properties;
};

/** A look-up: arguments in, values out. */
export type FunctionDescription = {
  readonly doc: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
};

export type PackageDescription = {
  readonly name: string;
  readonly version: string;
  readonly displayName: string;
  readonly doc: string;
  readonly npmName: string;
  readonly pythonName: string;
  /** Configuration of the provider: `<package>:<key>` of the stack, arguments of an explicit provider. All strings. */
  readonly config: Properties;
  /** By token tail `module:Name`. */
  readonly types: {readonly [token: string]: ObjectDescription};
  readonly enums: {readonly [token: string]: EnumDescription};
  readonly resources: {readonly [token: string]: ResourceDescription};
  readonly functions: {readonly [token: string]: FunctionDescription};
};

/** `core/v1:Endpoints` → module `core/v1`, name `Endpoints`. */
export function splitToken(token: string): {module: string; name: string} {
  const at = token.indexOf(':');
  return {module: token.slice(0, at), name: token.slice(at + 1)};
}

/** All modules of a package, sorted. */
export function modulesOf(description: PackageDescription): string[] {
  const tokens = [description.types, description.enums, description.resources, description.functions].flatMap(table =>
    Object.keys(table),
  );
  return [...new Set(tokens.map(token => splitToken(token).module))].sort();
}

/** The version of both packages, their SDKs and the plugins. */
export const PACKAGE_VERSION = '0.1.0';
