// SPDX-License-Identifier: Apache-2.0
/** Faults in the structs of a kind, reported when the kind is registered, not by the first object. */
import type {Field, FieldType, StructType, TypeTable} from './schema.ts';

type ListType = Extract<FieldType, {type: 'list'}>;

/** One text for each fault of the structs that `roots` lead to: the struct, its field, what is wrong, what to do. */
export function schemaFaults(types: TypeTable, roots: readonly string[]): readonly string[] {
  const checker = new Checker(types);
  for (const root of roots) checker.visit(root, 'the kind');
  return checker.faults;
}

class Checker {
  readonly faults: string[] = [];
  readonly #types: TypeTable;
  readonly #seen = new Set<string>();

  constructor(types: TypeTable) {
    this.#types = types;
  }

  visit(name: string, from: string): void {
    const struct = this.#struct(name);
    if (struct === undefined)
      this.faults.push(`${from} refers to ${name}, but its type table has no such type: add it to \`types\``);
    if (struct === undefined || this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#numbers(struct);
    for (const field of struct.fields) this.#field(`${name}.${field.name}`, field);
  }

  #struct(name: string): StructType | undefined {
    return Object.hasOwn(this.#types, name) ? this.#types[name] : undefined;
  }

  /** Names and protobuf numbers are there once; number 0 is what protobuf does not carry. */
  #numbers({name, fields}: StructType): void {
    const [names, numbers] = [new Set<string>(), new Map<number, string>()];
    for (const field of fields) {
      if (names.has(field.name)) this.faults.push(`${name}.${field.name} is defined twice: remove one`);
      names.add(field.name);
      const other = numbers.get(field.proto);
      if (field.proto === 0) continue;
      if (!Number.isInteger(field.proto) || field.proto < 1 || field.proto > PROTO_MAX)
        this.faults.push(`${name}.${field.name} has proto ${field.proto}: use a whole number from 1 to ${PROTO_MAX}`);
      else if (other !== undefined)
        this.faults.push(`${name}.${field.name} has proto ${field.proto}, also used by ${other}: use another number`);
      numbers.set(field.proto, field.name);
    }
  }

  #field(at: string, {name, type}: Field): void {
    if (name in Object.prototype)
      this.faults.push(`${at} has the name of a built-in member of JavaScript objects: rename it`);
    this.#type(at, type);
  }

  #type(at: string, type: FieldType): void {
    if (type.type === 'ref') this.visit(type.ref, at);
    else if (type.type === 'list') this.#list(at, type);
    else if (type.type === 'map') this.#member(at, type.value);
  }

  #list(at: string, type: ListType): void {
    this.#member(at, type.item);
    const {item, mapKeys = [], patchMergeKey} = type;
    const isStructs = item.type === 'ref';
    if (type.listType === 'map' && !isStructs)
      this.faults.push(`${at} is a list of type map without structs: make it a set`);
    if (type.listType === 'map' && isStructs && mapKeys.length === 0)
      this.faults.push(`${at} is a list of type map without keys: set \`mapKeys\``);
    if (type.listType !== 'map' && mapKeys.length > 0)
      this.faults.push(`${at} has mapKeys, but is a list of type ${type.listType}: make it a map`);
    if (type.listType === 'set' && !isScalar(item))
      this.faults.push(`${at} is a set of non-scalar items: make it a map or atomic`);
    if (patchMergeKey !== undefined && type.patchStrategy === undefined)
      this.faults.push(`${at} has a patchMergeKey without effect: add \`patchStrategy: 'merge'\``);
    if (type.patchStrategy !== undefined && isStructs && patchMergeKey === undefined)
      this.faults.push(`${at} merges structs without a key: set \`patchMergeKey\``);
    if (isStructs)
      for (const key of [...mapKeys, ...(patchMergeKey === undefined ? [] : [patchMergeKey])])
        this.#key(at, item.ref, key);
  }

  #key(at: string, structName: string, key: string): void {
    const struct = this.#struct(structName);
    if (struct === undefined) return; // reported at the reference
    const field = struct.fields.find(({name}) => name === key);
    if (field === undefined)
      this.faults.push(`${at} has the key ${key}, but ${structName} has no such field: use an existing field`);
    else if (!isScalar(field.type))
      this.faults.push(`${at} has the key ${key}, which is not a scalar: use another field`);
  }

  /** What lies in a list or a map: protobuf has no form for a list or a map there, but for a list with a message of its own. */
  #member(at: string, type: FieldType): void {
    if (type.type === 'map' || (type.type === 'list' && type.wrapped !== true))
      this.faults.push(`${at} contains ${type.type}s directly, which protobuf cannot encode: put them into a struct`);
    this.#type(at, type);
  }
}

/** The largest field number of protobuf. */
const PROTO_MAX = 2 ** 29 - 1;

const isScalar = ({type}: FieldType): boolean =>
  type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';
