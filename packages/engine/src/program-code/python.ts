// SPDX-License-Identifier: Apache-2.0
/** Programs in Python, laid out as the CLI lays them out. Ref: Pulumi pkg/codegen/python gen_program.go. */
import {constantCase, snakeCase} from '@palisade/provider';
import type {Declaration, Dialect, Options} from './declaration.ts';
import type {PackageSchema} from './package-schema.ts';
import {escapeUnprintable, hex, isLong} from './text-literal.ts';
import type {Code, CodeMembers} from './value-code.ts';

const INDENT = '    ';
const RESERVED = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in is ' +
    'lambda nonlocal not or pass print raise return try while with yield'
  ).split(' '),
);

export const PYTHON: Dialect = {language: 'python', identifier, imports, declaration};

function identifier(name: string): string {
  const clean = name.replace(/[^_\p{ID_Continue}]/gu, '_').replace(/^(?![_\p{ID_Start}])/u, '_');
  const words = clean.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/([A-Z])([A-Z][a-z])/g, '$1_$2');
  const lower = words.toLowerCase();
  return RESERVED.has(lower) ? `${lower}_` : lower;
}

function imports(packages: readonly PackageSchema[]): string {
  const lines = packages.map(schema => {
    const name = schema.importName('python');
    return name === schema.name ? `import ${name}\n` : `import ${name} as ${schema.name}\n`;
  });
  return ['import pulumi\n', ...lines.sort()].join('');
}

/** Several arguments stand one a line. */
function declaration({variable, type, name, schema, inputs, options}: Declaration): string {
  const made =
    schema === undefined
      ? `pulumi.ComponentResource(${textLiteral(type)}, ${textLiteral(name)}`
      : `${schema.name}.${schema.memberName(type, 'python')}(${textLiteral(name)}`;
  const indent = inputs.length > 1 ? INDENT : '';
  const before = inputs.length > 1 ? `,\n${indent}` : ', ';
  const given = inputs.map(([key, value]) => `${before}${snakeCase(key)}=${codeText(value, indent, schema)}`);
  const optionsBefore = inputs.length === 0 ? ', ' : `,\n${indent}`;
  return `${variable} = ${made}${given.join('')}${optionsText(options, optionsBefore, indent)})\n`;
}

function optionsText({parent, provider, protect}: Options, before: string, indent: string): string {
  const given = [
    ...(parent === undefined ? [] : [`parent=${parent}`]),
    ...(provider === undefined ? [] : [`provider=${provider}`]),
    ...(protect ? ['protect=True'] : []),
  ];
  if (given.length === 0) return '';
  return `${before}opts = pulumi.ResourceOptions(${given.join(`,\n${indent}${INDENT}`)})`;
}

function mapText(members: CodeMembers, typed: boolean, indent: string, schema: PackageSchema | undefined): string {
  if (members.length === 0) return '{}';
  const deeper = indent + INDENT;
  const lines = members.map(([name, value]) => {
    const key = textLiteral(typed ? snakeCase(name) : name);
    return `${deeper}${key}: ${codeText(value, deeper, schema)},\n`;
  });
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
      return literalText(code.value);
    case 'list':
      return listText(code.members, indent, schema);
    case 'map':
      return mapText(code.members, code.typed, indent, schema);
    case 'enum':
      return `${schema?.name}.${schema?.memberName(code.member.token, 'python')}.${constantCase(code.member.name)}`;
    case 'secret':
      return `pulumi.Output.secret(${codeText(code.value, indent, schema)})`;
  }
}

function literalText(value: null | boolean | number | string): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : String(value);
}

/** Text of several lines stands as it is between three quotes. */
function textLiteral(text: string): string {
  if (!isLong(text)) return `"${escapeUnprintable(text.replace(/["\\]/g, '\\$&'), escapePoint)}"`;
  const quoted = text.replace(/"""|"$|\\/g, found => found.replace(/./g, '\\$&'));
  return `"""${escapeUnprintable(quoted, escapePoint)}"""`;
}

const escapePoint = (point: number): string => (point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`);
