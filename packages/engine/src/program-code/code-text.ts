// SPDX-License-Identifier: Apache-2.0
/** Values laid out over lines, the same in every language; what they are spelled like comes from the language. */
import type {EnumMember, PackageSchema} from './package-schema.ts';
import type {Code} from './value-code.ts';

export const INDENT = '    ';

export type Spelling = {
  literal(value: null | boolean | number | string): string;
  /** `typed`: of a type of the schema, not of a map. */
  key(name: string, typed: boolean): string;
  enumMember(member: EnumMember, schema: PackageSchema | undefined): string;
  secret(value: string): string;
};

/** `indent`: of the line that the text begins on. */
export type WriteCode = (code: Code, indent: string, schema: PackageSchema | undefined) => string;

export const codeWriter = (spelling: Spelling): WriteCode => {
  const write: WriteCode = (code, indent, schema) => {
    const deeper = indent + INDENT;
    switch (code.kind) {
      case 'literal':
        return spelling.literal(code.value);
      case 'list': {
        if (code.members.length < 2) return `[${code.members.map(member => write(member, indent, schema)).join('')}]`;
        return `[\n${code.members.map(member => `${deeper}${write(member, deeper, schema)},\n`).join('')}${indent}]`;
      }
      case 'map': {
        if (code.members.length === 0) return '{}';
        const lines = code.members.map(
          ([name, value]) => `${deeper}${spelling.key(name, code.typed)}: ${write(value, deeper, schema)},\n`,
        );
        return `{\n${lines.join('')}${indent}}`;
      }
      case 'enum':
        return spelling.enumMember(code.member, schema);
      case 'secret':
        return spelling.secret(write(code.value, indent, schema));
    }
  };
  return write;
};
