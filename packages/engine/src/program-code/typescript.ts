// SPDX-License-Identifier: Apache-2.0
/** Programs in TypeScript, laid out as the CLI lays them out. Ref: Pulumi pkg/codegen/nodejs gen_program.go. */
import {codeWriter, INDENT} from './code-text.ts';
import type {Declaration, Dialect, Options} from './dialect.ts';
import type {PackageSchema} from './package-schema.ts';
import {escapeUnprintable, hex, isLong} from './text-literal.ts';
import type {CodeMembers} from './value-code.ts';

const RESERVED = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
    'this throw true try typeof undefined var void while with yield'
  ).split(' '),
);
/** What a program that is compiled to a CommonJS module may not declare. */
const OF_MODULES = new Set('__dirname __filename exports module Object require undefined'.split(' '));
const IDENTIFIER = /^[$_\p{ID_Start}][$\p{ID_Continue}]*$/u;

export const TYPESCRIPT: Dialect = {language: 'nodejs', identifier, imports, declaration};

function identifier(name: string): string {
  const clean = name.replace(/[^$\p{ID_Continue}]/gu, '_').replace(/^(?![$_\p{ID_Start}])/u, '_');
  return RESERVED.has(clean) || OF_MODULES.has(clean) ? `_${clean}` : clean;
}

function imports(packages: readonly PackageSchema[]): string {
  const lines = packages.map(schema => `import * as ${schema.name} from "${schema.importName('nodejs')}";\n`);
  return ['import * as pulumi from "@pulumi/pulumi";\n', ...lines.sort()].join('');
}

function declaration({variable, type, name, schema, inputs, options}: Declaration): string {
  const given = argumentsText(inputs, schema);
  const made =
    schema === undefined
      ? `pulumi.ComponentResource(${textLiteral(type)}, ${textLiteral(name)}`
      : `${schema.name}.${schema.memberName(type, 'nodejs')}(${textLiteral(name)}`;
  return `const ${variable} = new ${made}, ${given}${optionsText(options)});\n`;
}

/** One argument stays on the line of the brace. */
function argumentsText(inputs: CodeMembers, schema: PackageSchema | undefined): string {
  const [first] = inputs;
  if (first !== undefined && inputs.length === 1) return `{${key(first[0])}: ${codeText(first[1], '', schema)}}`;
  return codeText({kind: 'map', members: inputs, typed: true}, '', schema);
}

function optionsText({parent, provider, protect}: Options): string {
  const lines = [
    ...(parent === undefined ? [] : [`parent: ${parent}`]),
    ...(protect ? ['protect: true'] : []),
    ...(provider === undefined ? [] : [`provider: ${provider}`]),
  ];
  return lines.length === 0 ? '' : `, {\n${lines.map(line => `${INDENT}${line},\n`).join('')}}`;
}

const key = (name: string): string => (IDENTIFIER.test(name) && !RESERVED.has(name) ? name : textLiteral(name));

const codeText = codeWriter({
  literal: value => (typeof value === 'string' ? textLiteral(value) : String(value)),
  key,
  enumMember: ({token, name}, schema) => `${schema?.name}.${schema?.memberName(token, 'nodejs')}.${name}`,
  secret: value => `pulumi.secret(${value})`,
});

function textLiteral(text: string): string {
  const long = isLong(text);
  const quoted = long ? text.replace(/[`\\]|\$(?=\{)/g, '\\$&') : text.replace(/["\\]/g, '\\$&');
  const quote = long ? '`' : '"';
  return quote + escapeUnprintable(quoted, escapePoint) + quote;
}

const escapePoint = (point: number): string => (point > 0xffff ? `\\u{${hex(point, 5)}}` : `\\u${hex(point, 4)}`);
