// SPDX-License-Identifier: Apache-2.0
/** Programs in TypeScript, laid out as the CLI lays them out. Ref: Pulumi pkg/codegen/nodejs gen_program.go. */
import type {Declaration, Dialect, Options} from './declaration.ts';
import type {PackageSchema} from './package-schema.ts';
import {escapeUnprintable, hex, isLong} from './text-literal.ts';
import type {Code, CodeMembers} from './value-code.ts';

const INDENT = '    ';
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
  return mapText(inputs, '', schema);
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

function mapText(members: CodeMembers, indent: string, schema: PackageSchema | undefined): string {
  if (members.length === 0) return '{}';
  const deeper = indent + INDENT;
  const lines = members.map(([name, value]) => `${deeper}${key(name)}: ${codeText(value, deeper, schema)},\n`);
  return `{\n${lines.join('')}${indent}}`;
}

function listText(members: readonly Code[], indent: string, schema: PackageSchema | undefined): string {
  if (members.length < 2) return `[${members.map(member => codeText(member, indent, schema)).join('')}]`;
  const deeper = indent + INDENT;
  return `[\n${members.map(member => `${deeper}${codeText(member, deeper, schema)},\n`).join('')}${indent}]`;
}

function codeText(code: Code, indent: string, schema: PackageSchema | undefined): string {
  switch (code.kind) {
    case 'literal':
      return typeof code.value === 'string' ? textLiteral(code.value) : String(code.value);
    case 'list':
      return listText(code.members, indent, schema);
    case 'map':
      return mapText(code.members, indent, schema);
    case 'enum':
      return `${schema?.name}.${schema?.memberName(code.member.token, 'nodejs')}.${code.member.name}`;
    case 'secret':
      return `pulumi.secret(${codeText(code.value, indent, schema)})`;
  }
}

function textLiteral(text: string): string {
  const long = isLong(text);
  const quoted = long ? text.replace(/[`\\]|\$(?=\{)/g, '\\$&') : text.replace(/["\\]/g, '\\$&');
  const quote = long ? '`' : '"';
  return quote + escapeUnprintable(quoted, escapePoint) + quote;
}

const escapePoint = (point: number): string => (point > 0xffff ? `\\u{${hex(point, 5)}}` : `\\u${hex(point, 4)}`);
