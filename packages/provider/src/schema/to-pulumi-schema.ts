// SPDX-License-Identifier: Apache-2.0
/** A package description as the Pulumi package schema (what `GetSchema` answers and `schemas/pulumi/` holds). */
import {
  type FunctionDescription,
  modulesOf,
  type PackageDescription,
  type Properties,
  type PropertyDescription,
  type ResourceDescription,
  type TypeDescription,
} from './package-description.ts';

type Json = null | boolean | number | string | readonly Json[] | {readonly [key: string]: Json};
type JsonObject = {readonly [key: string]: Json};

/** Oldest @pulumi/pulumi that the SDKs are written for. */
export const PULUMI_SDK_RANGE = '^3.142.0';

/** Ref: Pulumi package metaschema, PackageSpec. */
export function toPulumiSchema(description: PackageDescription): JsonObject {
  return {
    name: description.name,
    version: description.version,
    displayName: description.displayName,
    description: description.doc,
    keywords: ['kind/native', 'category/infrastructure'],
    license: 'Apache-2.0',
    meta: {moduleFormat: '(.*)', supportPack: true},
    config: {variables: toProperties(description, description.config)},
    provider: {
      type: 'object',
      description: `The provider of the ${description.name} package.`,
      inputProperties: toProperties(description, description.config),
    },
    types: toTypes(description),
    resources: Object.fromEntries(
      Object.entries(description.resources).map(([token, resource]) => [
        `${description.name}:${token}`,
        toResource(description, resource),
      ]),
    ),
    functions: Object.fromEntries(
      Object.entries(description.functions).map(([token, lookUp]) => [
        `${description.name}:${token}`,
        toFunction(description, lookUp),
      ]),
    ),
    language: toLanguages(description),
  };
}

/** Two-space JSON with a final newline, the form of the committed files. */
export const formatPulumiSchema = (description: PackageDescription): string =>
  `${JSON.stringify(toPulumiSchema(description), null, 2)}\n`;

function toTypes(description: PackageDescription): JsonObject {
  const types: Record<string, Json> = {};
  for (const [token, type] of Object.entries(description.types)) {
    types[`${description.name}:${token}`] = {
      type: 'object',
      description: type.doc,
      properties: toProperties(description, type.properties),
    };
  }
  for (const [token, type] of Object.entries(description.enums)) {
    types[`${description.name}:${token}`] = {
      type: 'string',
      description: type.doc,
      enum: type.values.map(({name, value, doc}) => ({name, value, description: doc})),
    };
  }
  return types;
}

function toResource(description: PackageDescription, resource: ResourceDescription): JsonObject {
  const requiredInputs = Object.keys(resource.inputs).filter(name => resource.inputs[name]?.required);
  const required = [...requiredInputs, ...Object.keys(resource.outputs)].sort();
  return {
    description: resource.doc,
    properties: toProperties(description, {...resource.inputs, ...resource.outputs}),
    ...(required.length > 0 ? {required} : {}),
    inputProperties: toProperties(description, resource.inputs),
    ...(requiredInputs.length > 0 ? {requiredInputs} : {}),
  };
}

function toFunction(description: PackageDescription, lookUp: FunctionDescription): JsonObject {
  const required = Object.keys(lookUp.inputs).filter(name => lookUp.inputs[name]?.required);
  return {
    description: lookUp.doc,
    inputs: {type: 'object', properties: toProperties(description, lookUp.inputs), required},
    outputs: {
      type: 'object',
      properties: toProperties(description, lookUp.outputs),
      required: Object.keys(lookUp.outputs).sort(),
    },
  };
}

function toProperties(description: PackageDescription, properties: Properties): JsonObject {
  return mapValues(properties, property => toProperty(description, property));
}

function toProperty(description: PackageDescription, property: PropertyDescription): JsonObject {
  return {
    ...toType(description, property.type),
    description: property.doc,
    ...(property.default === undefined ? {} : {default: property.default}),
    ...(property.deprecated === undefined ? {} : {deprecationMessage: property.deprecated}),
    ...(property.replaces ? {willReplaceOnChanges: true} : {}),
    ...(property.secret ? {secret: true} : {}),
  };
}

function toType(description: PackageDescription, type: TypeDescription): JsonObject {
  switch (type.kind) {
    case 'string':
    case 'integer':
    case 'boolean':
      return {type: type.kind};
    case 'json':
      return {$ref: 'pulumi.json#/Json'};
    case 'ref':
      return {$ref: `#/types/${description.name}:${type.to}`};
    case 'enum': {
      const ref = `#/types/${description.name}:${type.to}`;
      return type.open ? {oneOf: [{type: 'string'}, {type: 'string', $ref: ref}]} : {$ref: ref};
    }
    case 'list':
      return {type: 'array', items: toType(description, type.of)};
    case 'map':
      return {type: 'object', additionalProperties: toType(description, type.of)};
  }
}

function toLanguages(description: PackageDescription): JsonObject {
  const modules = Object.fromEntries(modulesOf(description).map(module => [module, module]));
  return {
    nodejs: {
      packageName: description.npmName,
      moduleToPackage: modules,
      dependencies: {'@pulumi/pulumi': PULUMI_SDK_RANGE},
      typescriptVersion: '^5.0.0',
      respectSchemaVersion: true,
    },
    python: {
      packageName: description.pythonName,
      moduleNameOverrides: modules,
      requires: {pulumi: '>=3.142.0,<4.0.0'},
      pyproject: {enabled: true},
      respectSchemaVersion: true,
      inputTypes: 'classes-and-dicts',
    },
  };
}

function mapValues<T>(table: {readonly [key: string]: T}, convert: (value: T) => Json): JsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, convert(value)]));
}
