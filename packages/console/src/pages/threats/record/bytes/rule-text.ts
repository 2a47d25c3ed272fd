// SPDX-License-Identifier: Apache-2.0
/** The text of a rule in pieces, and the contents that it looks for. Ref: Suricata user guide, rules format and payload keywords. */

export type RuleContent = {
  /** Its place among the contents of the rule. */
  readonly index: number;
  readonly bytes: Uint8Array;
  readonly isNoCase: boolean;
  /** The rule matches where it is NOT found. */
  readonly isNegated: boolean;
  /** `http.uri`; '' for the payload itself. */
  readonly buffer: string;
};
export type RulePiece = {
  readonly text: string;
  readonly kind: 'plain' | 'key' | 'content';
  /** Of `contents`. */
  readonly content?: number;
};
export type ParsedRule = {readonly pieces: readonly RulePiece[]; readonly contents: readonly RuleContent[]};

/** Sticky buffers without a dot in their names, which came before those with one. */
const OLD_STICKY = new Set(['file_data', 'dns_query', 'tls_sni', 'base64_data', 'pkt_data', 'ja3_hash']);

/** `"a|0d 0A|\"b"` without its quotes → bytes. */
export function contentBytes(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const [at, part] of text.split(/(?<!\\)\|/).entries()) {
    if (at % 2 === 1) for (const [pair] of part.matchAll(/[0-9a-fA-F]{2}/g)) bytes.push(Number.parseInt(pair, 16));
    else bytes.push(...new TextEncoder().encode(part.replace(/\\(.)/g, '$1')));
  }
  return Uint8Array.from(bytes);
}

/** Options between semicolons that neither a quote nor a backslash protects; each with the blanks and the semicolon around it. */
const OPTION = /(?:"(?:\\.|[^"\\])*"|\\.|[^;"\\])+;?|;/gs;
const KEY_VALUE = /^(\s*)([\w.-]+)(\s*:?\s*)([\s\S]*?)(\s*;?\s*)$/;
const QUOTED = /^(!?)\s*"([\s\S]*)"([\s\S]*)$/;

type Draft = {-readonly [K in keyof RuleContent]: RuleContent[K]};

export function parseRule(rule: string): ParsedRule {
  const open = rule.indexOf('(');
  const close = rule.lastIndexOf(')');
  if (open < 0 || close < open) return {pieces: [{text: rule, kind: 'plain'}], contents: []};
  const pieces: RulePiece[] = [{text: rule.slice(0, open + 1), kind: 'plain'}];
  const contents: Draft[] = [];
  let buffer = '';
  for (const [option] of rule.slice(open + 1, close).matchAll(OPTION)) {
    const [, before = '', key = '', colon = '', value = '', after = ''] = KEY_VALUE.exec(option) ?? [];
    if (key === '') {
      pieces.push({text: option, kind: 'plain'});
      continue;
    }
    pieces.push({text: before, kind: 'plain'}, {text: key, kind: 'key'}, {text: colon, kind: 'plain'});
    const quoted = QUOTED.exec(value);
    if (key === 'content' && quoted !== null) {
      const [, not = '', text = '', more = ''] = quoted;
      const index = contents.length;
      contents.push({
        ...{index, bytes: contentBytes(text), isNegated: not === '!', buffer},
        isNoCase: /\bnocase\b/.test(more),
      });
      pieces.push({text: value, kind: 'content', content: index});
    } else pieces.push({text: value, kind: 'plain'});
    pieces.push({text: after, kind: 'plain'});
    const last = contents.at(-1);
    if (key === 'nocase' && last !== undefined) last.isNoCase = true;
    else if (key.startsWith('http_') && value === '' && last !== undefined) last.buffer = key.replace('_', '.');
    else if (value === '' && (key.includes('.') || OLD_STICKY.has(key))) buffer = key === 'pkt_data' ? '' : key;
  }
  pieces.push({text: rule.slice(close), kind: 'plain'});
  return {pieces: pieces.filter(({text}) => text !== ''), contents};
}
