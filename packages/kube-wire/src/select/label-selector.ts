// SPDX-License-Identifier: Apache-2.0
/**
 * Label selectors: `a=b,c!=d,e in (f,g),h,!i,j>1`. Reads and refuses what upstream reads and refuses, in its words.
 * Ref: kubernetes v1.36 apimachinery pkg/labels/selector.go.
 */
import {compareUtf8} from '../go/order.ts';
import {aggregateText, type FieldError, fieldErrorText, invalid} from '../validate/field-error.ts';
import {labelValueFaults, qualifiedNameFaults} from '../validate/names.ts';

export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export type LabelRequirement = {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted, each once. */
  readonly values: readonly string[];
};

export type Labels = Readonly<Record<string, string>>;

/** A compiled selector. */
export type LabelSelector = {
  /** In order of their keys; all of them must hold. */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | undefined): boolean;
  /** Canonical text: equal selectors print equally. */
  toString(): string;
};

/** Parses a selector; an empty one selects everything. Throws Error with upstream's text. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Parser(lex(text)).parse();
  requirements.sort((a, b) => compareUtf8(a.key, b.key));
  return compileLabelSelector(requirements);
}

/** Makes a selector of requirements that are known to be right. */
export function compileLabelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  const tests = requirements.map(compile);
  return {
    requirements,
    matches: (labels = {}) => {
      for (const test of tests) if (!test(labels)) return false;
      return true;
    },
    toString: () => requirements.map(requirementText).join(','),
  };
}

function compile(requirement: LabelRequirement): (labels: Labels) => boolean {
  const {key, operator, values} = requirement;
  const has = (labels: Labels): boolean => Object.hasOwn(labels, key);
  const only = values[0];
  switch (operator) {
    case 'exists':
      return has;
    case '!':
      return labels => !has(labels);
    case '=':
    case '==':
      return labels => has(labels) && labels[key] === only;
    case '!=':
      return labels => !has(labels) || labels[key] !== only;
    case 'in':
      return labels => has(labels) && values.includes(labels[key] as string);
    case 'notin':
      return labels => !has(labels) || !values.includes(labels[key] as string);
    case 'gt':
    case 'lt': {
      const limit = toInt64(only ?? '');
      return labels => {
        const value = has(labels) ? toInt64(labels[key] as string) : undefined;
        if (value === undefined || limit === undefined) return false;
        return operator === 'gt' ? value > limit : value < limit;
      };
    }
  }
}

/** strconv.ParseInt with base 10. */
function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ''));
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

function requirementText({key, operator, values}: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
    case 'lt':
      return `${key}${operator === 'gt' ? '>' : '<'}${values.join(',')}`;
    default:
      return `${key}${operator}${values.join(',')}`;
  }
}

type Kind = ')' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | '(' | 'in' | 'notin' | 'id' | 'end' | 'error';
type Token = {readonly kind: Kind; readonly text: string};

const SYMBOLS: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const isSpace = (char: string | undefined): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';
const isSymbol = (char: string | undefined): boolean => char !== undefined && '=!(),><'.includes(char);

function lex(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (isSpace(text[at])) at++;
    const char = text[at];
    if (char === undefined || char === '\0') break;
    const start = at;
    if (isSymbol(char)) {
      const token = lexSymbol(text, at);
      tokens.push(token.token);
      at = token.end;
    } else {
      while (at < text.length && text[at] !== '\0' && !isSpace(text[at]) && !isSymbol(text[at])) at++;
      const word = text.slice(start, at);
      tokens.push({kind: word === 'in' || word === 'notin' ? word : 'id', text: word});
      if (text[at] === '\0') at++;
    }
  }
  tokens.push({kind: 'end', text: ''});
  return tokens;
}

/** The longest run of symbols that still is a token, as upstream's scanner finds it: `=!` is `=`, then `!`. */
function lexSymbol(text: string, start: number): {token: Token; end: number} {
  let at = start;
  let found = '';
  while (isSymbol(text[at])) {
    const run = text.slice(start, at + 1);
    if (SYMBOLS.has(run)) found = run;
    else if (found !== '') break;
    at++;
  }
  return {token: {kind: found as Kind, text: found}, end: at};
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (token.kind !== 'id' && token.kind !== '!') {
        throw new Error(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      }
      requirements.push(this.#checkedRequirement());
      const next = this.#take();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw new Error(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'id' && after.kind !== '!') {
        throw new Error(`found '${after.text}', expected: identifier after ','`);
      }
    }
  }

  #checkedRequirement(): LabelRequirement {
    try {
      return this.#requirement();
    } catch (error) {
      throw new Error(`unable to parse requirement: ${(error as Error).message}`, {cause: error});
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#take();
    const negated = token.kind === '!';
    if (negated) token = this.#take();
    if (token.kind !== 'id') throw new Error(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const faults = qualifiedNameFaults(key);
    // The path is a nil pointer upstream, and this is how it prints.
    if (faults.length > 0) throw new Error(fieldErrorText(invalid('<nil>', key, faults.join('; '))));
    const next = this.#peek();
    if (negated) return checked({key, operator: '!', values: []});
    if (next.kind === 'end' || next.kind === ',') return checked({key, operator: 'exists', values: []});
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : this.#exactValue();
    return checked({key, operator, values: [...values].sort(compareUtf8)});
  }

  #operator(): LabelOperator {
    const token = this.#tokens[this.#at++] as Token;
    switch (token.kind) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return token.kind;
      case '>':
        return 'gt';
      case '<':
        return 'lt';
      default:
        throw new Error(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #values(): Set<string> {
    const open = this.#take();
    if (open.kind !== '(') throw new Error(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return new Set(['']);
    }
    if (first.kind !== 'id' && first.kind !== ',') {
      throw new Error(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = this.#identifiers();
    if (this.#take().kind !== ')') throw new Error(`found '${first.text}', expected: ')'`);
    return values;
  }

  #identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.kind === 'id') {
        values.add(token.text);
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw new Error(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        if (next.kind === ')') {
          values.add('');
          return values;
        }
        if (next.kind === ',') values.add('');
      } else throw new Error(`found '${token.text}', expected: ',', or identifier`);
    }
  }

  #exactValue(): Set<string> {
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return new Set(['']);
    const token = this.#take();
    if (token.kind !== 'id') throw new Error(`found '${token.text}', expected: identifier`);
    return new Set([token.text]);
  }

  /** Outside of an operator's place, `in` and `notin` are plain words. */
  #peek(): Token {
    const token = this.#tokens[this.#at] ?? {kind: 'end', text: ''};
    return token.kind === 'in' || token.kind === 'notin' ? {kind: 'id', text: token.text} : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

/** The checks of labels.NewRequirement that a parsed requirement can still fail. */
function checked(requirement: LabelRequirement): LabelRequirement {
  const {key, operator, values} = requirement;
  const faults: FieldError[] = [];
  if (operator === 'gt' || operator === 'lt') {
    for (const [i, value] of values.entries()) {
      if (toInt64(value) === undefined) {
        faults.push(invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
    }
  }
  for (const [i, value] of values.entries()) {
    const texts = labelValueFaults(value);
    if (texts.length > 0) faults.push(invalid(`values[${i}][${key}]`, value, texts.join('; ')));
  }
  if (faults.length > 0) throw new Error(aggregateText(faults));
  return requirement;
}
