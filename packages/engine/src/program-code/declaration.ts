// SPDX-License-Identifier: Apache-2.0
/** Declarations of resources that the state has, as a program of the user's language would make them. */
import type {ProviderFactories} from '../deploy/providers/provider-registry.ts';
import type {ResourceState} from '../state/resource-state.ts';
import {isDefaultProvider, parseReference, parseUrn, ROOT_STACK_TYPE} from '../state/urn.ts';
import type {Language} from '../workspace/language.ts';
import type {Dialect, Options} from './dialect.ts';
import {PackageSchema} from './package-schema.ts';
import {PYTHON} from './python.ts';
import {TYPESCRIPT} from './typescript.ts';
import {membersCode} from './value-code.ts';

const DIALECTS: Readonly<Record<Language, Dialect>> = {nodejs: TYPESCRIPT, python: PYTHON};

type Names = {
  /** Names of variables by URN, of what is declared and what that mentions. */
  readonly names: ReadonlyMap<string, string>;
  readonly factories: ProviderFactories;
  readonly language: Language;
};

/** The text of a program that declares `states`, in this order; what is mentioned and not among them is a variable that the user has. */
export function programCode(states: readonly ResourceState[], {names, factories, language}: Names): string {
  const dialect = DIALECTS[language];
  const schemas = new Map<string, PackageSchema>();
  const schemaOf = (type: string): PackageSchema => {
    const name = type.split(':')[0] ?? '';
    const schema = schemas.get(name) ?? new PackageSchema(name, factories[name]?.().getSchema() ?? '{}');
    schemas.set(name, schema);
    return schema;
  };
  const packages = states.filter(({custom}) => custom).map(({type}) => schemaOf(type));
  const variables = uniqueVariables(names, dialect, new Set(['pulumi', ...packages.map(({name}) => name)]));
  const declarations = states.map(state => {
    const {inputs, type, urn} = state;
    const schema = state.custom ? schemaOf(type) : undefined;
    const members = schema === undefined ? [] : membersCode(schema, inputs, schema.inputs(type));
    const variable = variables.get(urn) ?? dialect.identifier(parseUrn(urn).name);
    return {variable, type, name: parseUrn(urn).name, schema, inputs: members, options: optionsOf(state, variables)};
  });
  return [dialect.imports([...schemas.values()]), '\n', ...declarations.map(dialect.declaration)].join('');
}

function optionsOf({parent, provider, protect}: ResourceState, variables: ReadonlyMap<string, string>): Options {
  const providerUrn = provider === '' ? '' : parseReference(provider).urn;
  const isRoot = parent === '' || parseUrn(parent).type === ROOT_STACK_TYPE;
  return {
    parent: isRoot ? undefined : variables.get(parent),
    provider: providerUrn === '' || isDefaultProvider(providerUrn) ? undefined : variables.get(providerUrn),
    protect,
  };
}

function uniqueVariables(
  names: ReadonlyMap<string, string>,
  {identifier}: Dialect,
  taken: Set<string>,
): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const [urn, name] of names) {
    const base = identifier(name);
    const typed = identifier(`${name}${upperFirst(parseUrn(urn).type.split(':').at(-1) ?? '')}`);
    let variable = taken.has(base) ? typed : base;
    for (let n = 2; taken.has(variable); n += 1) variable = `${typed}${n}`;
    taken.add(variable);
    variables.set(urn, variable);
  }
  return variables;
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
