// SPDX-License-Identifier: Apache-2.0
/** What a package's schema says that code needs: names of packages and modules, and the shapes of inputs. Ref: Pulumi metaschema. */
import {isJsonObject, type Json, type JsonObject} from '../state/resource-json.ts';
import type {Language} from '../workspace/language.ts';

/** A type as the schema writes it; undefined: anything. */
export type TypeSpec = JsonObject | undefined;

/** A member of an enumeration: its module, type and name. */
export type EnumMember = {readonly token: string; readonly name: string};

export class PackageSchema {
  readonly name: string;
  readonly #schema: JsonObject;

  /** `text`: JSON; a package without a schema has `{}`. */
  constructor(name: string, text: string) {
    this.name = name;
    const schema: unknown = JSON.parse(text);
    this.#schema = isJsonObject(schema) ? schema : {};
  }

  /** What a program of the language imports. */
  importName(language: Language): string {
    const given = at(this.#schema, 'language', language, 'packageName');
    if (typeof given === 'string') return given;
    return language === 'nodejs' ? `@pulumi/${this.name}` : `pulumi_${this.name}`;
  }

  /** The name of a type or resource within the package: `core.v1.Endpoints`. */
  memberName(token: string, language: Language): string {
    const [, module = '', name = ''] = token.split(':');
    const names = at(
      this.#schema,
      'language',
      language,
      language === 'nodejs' ? 'moduleToPackage' : 'moduleNameOverrides',
    );
    const given = isJsonObject(names) ? names[module] : undefined;
    const path = typeof given === 'string' ? given : module;
    return [...path.split('/').filter(part => part !== '' && part !== 'index'), name].join('.');
  }

  /** Inputs of a resource by name; undefined when the schema does not have the type. */
  inputs(type: string): JsonObject | undefined {
    const inputs = at(this.#schema, 'resources', type, 'inputProperties');
    return isJsonObject(inputs) ? inputs : undefined;
  }

  /** The members of an object type by name; undefined for anything else. */
  members(spec: TypeSpec): JsonObject | undefined {
    const members = this.#named(spec)?.['properties'];
    return isJsonObject(members) ? members : undefined;
  }

  /** The member of an enumeration (or of one that other values may stand beside) that has this value. */
  enumMember(spec: TypeSpec, value: Json): EnumMember | undefined {
    const choices = spec?.['oneOf'];
    for (const choice of Array.isArray(choices) ? choices : [spec]) {
      const token = isJsonObject(choice) ? tokenOf(choice) : undefined;
      const members = token === undefined ? undefined : at(this.#schema, 'types', token, 'enum');
      const found = (Array.isArray(members) ? members : []).find(
        (member: Json) => isJsonObject(member) && member['value'] === value,
      );
      if (token !== undefined && isJsonObject(found)) return {token, name: String(found['name'] ?? found['value'])};
    }
    return undefined;
  }

  #named(spec: TypeSpec): JsonObject | undefined {
    const token = spec === undefined ? undefined : tokenOf(spec);
    const type = token === undefined ? undefined : at(this.#schema, 'types', token);
    return isJsonObject(type) ? type : undefined;
  }
}

export const specAt = (spec: Json | undefined): TypeSpec => (isJsonObject(spec) ? spec : undefined);

const TYPE_REF = '#/types/';

function tokenOf(spec: JsonObject): string | undefined {
  const ref = spec['$ref'];
  return typeof ref === 'string' && ref.startsWith(TYPE_REF) ? ref.slice(TYPE_REF.length) : undefined;
}

function at(json: Json, ...path: readonly string[]): Json | undefined {
  let value: Json | undefined = json;
  for (const key of path) value = isJsonObject(value) ? value[key] : undefined;
  return value;
}
