// SPDX-License-Identifier: Apache-2.0
/**
 * Field selectors: `metadata.name=a,metadata.namespace!=b`, with `\`, `,` and `=` escaped in values.
 * Ref: kubernetes v1.36 apimachinery pkg/fields/selector.go.
 */
import {compareUtf8} from '../go/order.ts';

export type FieldRequirement = {readonly field: string; readonly operator: '=' | '!='; readonly value: string};

/** A compiled selector. Which fields exist is the kind's business. */
export type FieldSelector = {
  readonly requirements: readonly FieldRequirement[];
  /** `fields` maps names to values; a missing one counts as empty. */
  matches(fields: Readonly<Record<string, string>>): boolean;
  /** Canonical text. */
  toString(): string;
};

/** Parses a selector; an empty one selects everything. Throws Error with upstream's text. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort(compareUtf8)) {
    if (term === '') continue;
    const m = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (m === null) throw new Error(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = m;
    const literal = unescapeValue(value);
    if (field === '' && literal === '') continue;
    requirements.push({field, operator: operator === '!=' ? '!=' : '=', value: literal});
  }
  return {
    requirements,
    matches: fields => requirements.every(r => ((fields[r.field] ?? '') === r.value) === (r.operator === '=')),
    toString: () => requirements.map(r => `${r.field}${r.operator}${escapeValue(r.value)}`).join(','),
  };
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

function unescapeValue(text: string): string {
  let out = '';
  const chars = [...text];
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === ',' || char === '=') {
      throw new Error(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    }
    if (char !== '\\') out += char;
    else {
      const next = chars[++i];
      if (next !== '\\' && next !== ',' && next !== '=') {
        throw new Error(`invalid field selector: invalid escape sequence: \\${next ?? ''}`);
      }
      out += next;
    }
  }
  return out;
}

/** Escapes a literal for use as a value. */
export function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&');
}
