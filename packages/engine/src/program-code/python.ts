// SPDX-License-Identifier: Apache-2.0
/** Programs in Python, laid out as the CLI lays them out. Ref: Pulumi pkg/codegen/python gen_program.go. */
import {constantCase, snakeCase} from '@palisade/provider';
import {codeWriter, INDENT} from './code-text.ts';
import type {Declaration, Dialect, Options} from './dialect.ts';
import type {PackageSchema} from './package-schema.ts';
import {escapeUnprintable, hex, isLong} from './text-literal.ts';

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

/** Several arguments are written one per line. */
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

const codeText = codeWriter({
  literal: literalText,
  key: (name, typed) => textLiteral(typed ? snakeCase(name) : name),
  enumMember: ({token, name}, schema) => `${schema?.name}.${schema?.memberName(token, 'python')}.${constantCase(name)}`,
  secret: value => `pulumi.Output.secret(${value})`,
});

function literalText(value: null | boolean | number | string): string {
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : String(value);
}

/** Text of several lines is written as it is between three quotes. */
function textLiteral(text: string): string {
  if (!isLong(text)) return `"${escapeUnprintable(text.replace(/["\\]/g, '\\$&'), escapePoint)}"`;
  const quoted = text.replace(/"""|"$|\\/g, found => found.replace(/./g, '\\$&'));
  return `"""${escapeUnprintable(quoted, escapePoint)}"""`;
}

const escapePoint = (point: number): string => (point > 0xffff ? `\\U${hex(point, 8)}` : `\\u${hex(point, 4)}`);
