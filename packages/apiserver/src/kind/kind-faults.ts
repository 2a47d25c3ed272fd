// SPDX-License-Identifier: Apache-2.0
/** What is wrong with the definitions of the kinds, all at once, before the first request meets it. */
import {schemaFaults, type TypeTable} from '@palisade/kube-wire';
import type {KindDefinition} from './kind.ts';

/** `faults` has one text for each thing that has to be mended in the kinds' own files. */
export class KindError extends Error {
  override readonly name = 'KindError';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`the kinds cannot be served:\n- ${faults.join('\n- ')}`);
    this.faults = faults;
  }
}

/** Throws KindError. */
export const assertKinds = (kinds: readonly KindDefinition[]): void => {
  const faults = [...sharedNames(kinds), ...storedFaults(kinds), ...new Set(kinds.flatMap(faultsOf))];
  if (faults.length > 0) throw new KindError(faults);
};

const faultsOf = (kind: KindDefinition): readonly string[] => {
  const {typeName, types, verbs} = kind;
  const roots = verbs.includes('list') ? [typeName, `${typeName}List`] : [typeName];
  const asked = (kind.questions ?? []).flatMap(question => typeFaults(question.kind));
  return [...asked, ...nameFaults(kind), ...typeFaults(kind), ...schemaFaults(types, roots), ...resetFaults(kind)];
};

/** Objects of one kind in another form need that kind, and a path that says as much about where they are. */
const storedFaults = (kinds: readonly KindDefinition[]): readonly string[] =>
  kinds.flatMap(({group, version, kind, namespaced, storedAs}) => {
    if (storedAs === undefined) return [];
    const name = `${kind} of ${group || 'core'}/${version}`;
    const stored = `${storedAs.kind.kind} of ${storedAs.kind.group || 'core'}/${storedAs.kind.version}`;
    if (!kinds.includes(storedAs.kind)) return [`${name} is stored as ${stored}, which is not served: add that kind`];
    if (storedAs.kind.storedAs !== undefined)
      return [`${name} is stored as ${stored}, which has no objects: name the kind that has them`];
    if (storedAs.kind.namespaced !== namespaced)
      return [`${name} is stored as ${stored}, but only one of them is in a namespace`];
    return [];
  });

/** Two kinds of a group under one path, or under one name. */
const sharedNames = (kinds: readonly KindDefinition[]): readonly string[] => {
  const seen = new Set<string>();
  return kinds.flatMap(({group, version, resource, kind}) => {
    const names = [`the resource ${resource}`, `the kind ${kind}`].map(
      name => `${name} of ${group || 'core'}/${version}`,
    );
    const twice = names.filter(name => seen.has(name)).map(name => `${name} is defined twice: rename one`);
    for (const name of names) seen.add(name);
    return twice;
  });
};

const nameFaults = ({
  kind,
  resource,
  singular,
  subresources = [],
  questions = [],
}: KindDefinition): readonly string[] => {
  const bad = Object.entries({resource, singular}).filter(([, name]) => !/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name));
  const names = [...subresources, ...questions].map(({name}) => name);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  return [
    ...bad.map(
      ([what, name]) =>
        `${kind} has the invalid ${what} ${JSON.stringify(name)}: use lower-case letters, digits and \`-\``,
    ),
    ...twice.map(name => `${kind} has the subresource ${name} twice: remove one`),
  ];
};

/** The struct says which kind it is of: OpenAPI, and with it `kubectl explain`, finds it by that. */
const typeFaults = ({group, version, kind, typeName, types}: KindDefinition): readonly string[] => {
  const struct = types[typeName];
  const isNamed = struct?.gvk?.some(gvk => gvk.group === group && gvk.version === version && gvk.kind === kind);
  if (struct === undefined || isNamed) return [];
  return [`${typeName} is not marked as ${kind} of ${group || 'core'}/${version}: add it to its \`gvk\``];
};

const resetFaults = ({kind, typeName, types, strategy, subresources = []}: KindDefinition): readonly string[] =>
  [strategy, ...subresources]
    .flatMap(({resetFields = []}) => resetFields)
    .filter(path => !leadsSomewhere(types, typeName, path))
    .map(path => `${kind} resets ${path.join('.')}, but ${typeName} has no such field: use an existing field`);

const leadsSomewhere = (types: TypeTable, typeName: string, [name, ...rest]: readonly string[]): boolean => {
  const type = types[typeName]?.fields.find(field => field.name === name)?.type;
  if (type === undefined || rest.length === 0) return type !== undefined;
  return type.type !== 'ref' || leadsSomewhere(types, type.ref, rest);
};
