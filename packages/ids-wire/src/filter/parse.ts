// SPDX-License-Identifier: Apache-2.0
/**
 * AIP-160 text → tree. Ref: aip-dev ebnf-filtering.txt.
 *
 *   expression: sequence {AND sequence}      sequence: factor {factor}        (blank = AND)
 *   factor:     term {OR term}               term:     [NOT | '-'] simple     (OR binds tighter than AND)
 *   simple:     restriction | '(' expression ')'
 *   restriction: member [comparator arg]     arg: text | string | '(' expression of literals ')'
 *
 * Looser than the grammar in one point: an unquoted value after a comparator may hold ':' (times, threat ids).
 */
import {FilterError} from './filter-error.ts';

export const FILTER_LENGTH_MAX = 8_192;
export const FILTER_TERMS_MAX = 200;
export const FILTER_DEPTH_MAX = 32;

export type Comparator = '=' | '!=' | '<' | '<=' | '>' | '>=' | ':';

/** `segments`: the text cut at its unescaped `*`; one segment = no wildcard. */
export type Literal = {readonly text: string; readonly segments: readonly string[]; readonly position: number};

export type FilterNode =
  | {readonly node: 'and' | 'or'; readonly children: readonly FilterNode[]}
  | {readonly node: 'not'; readonly child: FilterNode}
  | {
      readonly node: 'text';
      readonly literal: Literal;
      /** For an unquoted word before a word that compares in other languages: that word. */
      readonly before?: string;
    }
  | {
      readonly node: 'compare';
      readonly path: readonly string[];
      readonly comparator: Comparator;
      readonly literal: Literal;
      readonly position: number;
    };

/** The left side that literals inside a composite argument are compared with. */
type Side = {readonly path: readonly string[]; readonly comparator: Comparator; readonly position: number};

const ARG_END = /[\s()",'=<>!]/;
const COMPARATOR = /<=|>=|!=|=|<|>|:/y;
/** Comparisons of other languages, and what they are here. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/==/y, '= instead of =='],
  [/<>/y, '!= instead of <>'],
];
const COMPARING_WORD = /\s+(?:not\s+)?(in|is|like|contains)(?=[\s("']|$)/iy;

class Parser {
  readonly #text: string;
  #at = 0;
  #terms = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): FilterNode {
    const tree = this.#expression(undefined);
    this.#blanks();
    if (this.#at < this.#text.length) throw this.#fault(`unexpected "${this.#text[this.#at]}"`);
    return tree;
  }

  #expression(side: Side | undefined): FilterNode {
    const children = [this.#sequence(side)];
    while (this.#keyword('AND')) children.push(this.#sequence(side));
    return join('and', children);
  }

  #sequence(side: Side | undefined): FilterNode {
    const children = [this.#factor(side)];
    while (this.#termFollows()) children.push(this.#factor(side));
    return join('and', children);
  }

  #factor(side: Side | undefined): FilterNode {
    const children = [this.#term(side)];
    while (this.#keyword('OR')) children.push(this.#term(side));
    return join('or', children);
  }

  #term(side: Side | undefined): FilterNode {
    this.#blanks();
    if (this.#keyword('NOT')) return {node: 'not', child: this.#simple(side)};
    if (this.#text[this.#at] === '-' && /[^\s]/.test(this.#text[this.#at + 1] ?? ' ')) {
      this.#at += 1;
      return {node: 'not', child: this.#simple(side)};
    }
    return this.#simple(side);
  }

  #simple(side: Side | undefined): FilterNode {
    this.#blanks();
    this.#terms += 1;
    if (this.#terms > FILTER_TERMS_MAX) throw this.#fault(`more than ${FILTER_TERMS_MAX} terms`);
    return this.#text[this.#at] === '(' ? this.#composite(side) : this.#restriction(side);
  }

  #composite(side: Side | undefined): FilterNode {
    this.#at += 1;
    this.#depth += 1;
    if (this.#depth > FILTER_DEPTH_MAX) throw this.#fault(`parentheses nested deeper than ${FILTER_DEPTH_MAX}`);
    const tree = this.#expression(side);
    this.#blanks();
    if (this.#text[this.#at] !== ')') throw this.#fault('")" is missing');
    this.#at += 1;
    this.#depth -= 1;
    return tree;
  }

  #restriction(side: Side | undefined): FilterNode {
    const position = this.#at;
    if (side !== undefined) return {node: 'compare', ...side, literal: this.#argument()};
    const {path, literal} = this.#member();
    const mark = this.#at;
    this.#blanks();
    COMPARATOR.lastIndex = this.#at;
    for (const [foreign, instead] of FOREIGN) {
      foreign.lastIndex = this.#at;
      if (foreign.test(this.#text)) throw this.#fault(`write ${instead}`);
    }
    const comparator = COMPARATOR.exec(this.#text)?.[0] as Comparator | undefined;
    if (comparator === undefined) {
      if (this.#text[this.#at] === '(' && mark === this.#at)
        throw this.#fault(`there is no function "${path.join('.')}"`);
      this.#at = mark;
      if (/^(and|or|not)$/i.test(literal.text))
        throw new FilterError(
          `"${literal.text}" must be written ${literal.text.toUpperCase()} and stand between two terms`,
          position,
        );
      COMPARING_WORD.lastIndex = mark;
      const before = /["']/.test(this.#text[position] ?? '') ? undefined : COMPARING_WORD.exec(this.#text)?.[1];
      return {node: 'text', literal, ...(before === undefined ? {} : {before})};
    }
    this.#at += comparator.length;
    this.#blanks();
    if (this.#text[this.#at] === '(') return this.#composite({path, comparator, position});
    return {node: 'compare', path, comparator, literal: this.#argument(), position};
  }

  /** A dotted path of words and quoted strings; as a literal it is the whole text. */
  #member(): {readonly path: readonly string[]; readonly literal: Literal} {
    const position = this.#at;
    const path: string[] = [];
    const literals: Literal[] = [];
    for (;;) {
      const quoted = this.#text[this.#at] === '"' || this.#text[this.#at] === "'";
      const part = quoted ? this.#string() : this.#run(/[\s()",'=<>!:.]/);
      if (part === undefined)
        throw this.#fault(
          this.#at >= this.#text.length ? 'a term is missing at the end' : 'a field or value is missing',
        );
      path.push(part.text);
      literals.push(part);
      if (this.#text[this.#at] !== '.') break;
      this.#at += 1;
    }
    const [only] = literals;
    if (only !== undefined && literals.length === 1) return {path, literal: only};
    const text = path.join('.');
    return {path, literal: {text, segments: text.split('*'), position}};
  }

  #argument(): Literal {
    const first = this.#text[this.#at];
    const literal = first === '"' || first === "'" ? this.#string() : this.#run(ARG_END);
    if (literal === undefined) throw this.#fault('a value is missing');
    return literal;
  }

  #run(end: RegExp): Literal | undefined {
    const position = this.#at;
    while (this.#at < this.#text.length && !end.test(this.#text[this.#at] ?? '')) this.#at += 1;
    const text = this.#text.slice(position, this.#at);
    return text === '' ? undefined : {text, segments: text.split('*'), position};
  }

  #string(): Literal {
    const position = this.#at;
    const quote = this.#text[position];
    const segments = [''];
    const append = (char: string) => segments.push(`${segments.pop() ?? ''}${char}`);
    for (this.#at += 1; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      if (char === quote) {
        this.#at += 1;
        return {text: segments.join('*'), segments, position};
      }
      if (char === '\\') {
        this.#at += 1;
        append(this.#text[this.#at] ?? '');
      } else if (char === '*') segments.push('');
      else append(char);
    }
    throw new FilterError('the string that begins here has no closing quote', position);
  }

  #keyword(word: 'AND' | 'OR' | 'NOT'): boolean {
    const mark = this.#at;
    this.#blanks();
    const after = this.#text[this.#at + word.length];
    const there = this.#text.startsWith(word, this.#at) && (after === undefined || /[\s()]/.test(after));
    if (!there) {
      this.#at = mark;
      return false;
    }
    this.#at += word.length;
    return true;
  }

  #termFollows(): boolean {
    const mark = this.#at;
    this.#blanks();
    const rest = this.#text.slice(this.#at, this.#at + 4);
    const ends = rest === '' || rest.startsWith(')') || /^(AND|OR)([\s()]|$)/.test(rest);
    if (!ends && this.#at === mark && !/[)("']/.test(this.#text[mark - 1] ?? '') && !rest.startsWith('('))
      throw this.#fault(`unexpected "${this.#text[this.#at]}"`);
    if (ends) this.#at = mark;
    return !ends;
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? 'x')) this.#at += 1;
  }

  #fault(message: string): FilterError {
    return new FilterError(message, this.#at);
  }
}

const join = (node: 'and' | 'or', children: readonly FilterNode[]): FilterNode => {
  const [only] = children;
  return only !== undefined && children.length === 1 ? only : {node, children};
};

/** Undefined for an empty filter. Throws FilterError. */
export const parseFilter = (text: string): FilterNode | undefined => {
  if (text.length > FILTER_LENGTH_MAX)
    throw new FilterError(`the filter is longer than ${FILTER_LENGTH_MAX} characters`);
  return text.trim() === '' ? undefined : new Parser(text).parse();
};
