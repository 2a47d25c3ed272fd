// SPDX-License-Identifier: Apache-2.0
/**
 * YAML text into tokens, as libyaml does it: what might be the key of a mapping is remembered, and when a `:` follows
 * on the same line, the tokens that begin the mapping are put before it.
 * Ref: go.yaml.in/yaml/v2 v2.4.3 scannerc.go.
 */
import {scannerFault} from './fault.ts';
import {scanBlockScalar, scanPlainScalar, scanQuotedScalar, startsPlain} from './scalars.ts';
import {isBlankOrEnd, isBreak, type Mark, type YamlSource} from './source.ts';
import {type Directive, scanAnchor, scanDirective, scanTag, type Tag} from './words.ts';

export type TokenType =
  | 'stream-end'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value';

/** Lines count from 0; `endLine` is that of the character behind it. */
export type Token = {readonly line: number; readonly endLine: number} & (
  | {readonly type: TokenType}
  | {readonly type: 'directive'; readonly directive: Directive}
  | {readonly type: 'alias' | 'anchor'; readonly name: string}
  | {readonly type: 'tag'; readonly tag: Tag}
  | {readonly type: 'scalar'; readonly value: string; readonly isPlain: boolean}
);

/** A place where a key may have begun. */
type SimpleKey = {possible: boolean; readonly required: boolean; readonly token: number; readonly mark: Mark};

/** A key without `?` ends at most so many characters behind its begin. */
const SIMPLE_KEY_MAX = 1024;
const DEPTH_MAX = 10_000;

export class YamlScanner {
  readonly #source: YamlSource;
  readonly #queue: Token[] = [];
  /** How many tokens were taken. */
  #taken = 0;
  /** The first token of the queue that was not taken. */
  #head = 0;
  #ended = false;
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #keyAllowed = true;
  /** One for each level of flow collections. */
  readonly #keys: SimpleKey[];
  readonly #keyOfToken = new Map<number, SimpleKey>();

  constructor(source: YamlSource) {
    this.#source = source;
    this.#keys = [{possible: false, required: false, token: 0, mark: source.mark()}];
  }

  /** The next token, which stays. */
  peek(): Token {
    while (!this.#isReady()) this.#fetch();
    return this.#queue[this.#head] as Token;
  }

  take(): void {
    this.#head++;
    this.#taken++;
    if (this.#head === this.#queue.length) {
      this.#queue.length = 0;
      this.#head = 0;
    }
  }

  /** There is a token, and nothing that follows can come before it. */
  #isReady(): boolean {
    if (this.#head === this.#queue.length) return false;
    const key = this.#keyOfToken.get(this.#taken);
    return key === undefined || !this.#isValid(key);
  }

  #fetch(): void {
    if (this.#ended) throw new Error('the stream is over');
    this.#skipToToken();
    this.#unroll(this.#source.column);
    if (this.#fetchOfLine() || this.#fetchSign() || this.#fetchWord() || this.#fetchScalar()) return;
    throw scannerFault(this.#source.line, 'found character that cannot start any token');
  }

  /** What ends a document, or begins it. */
  #fetchOfLine(): boolean {
    const source = this.#source;
    if (source.code() === 0) this.#fetchEnd();
    else if (source.column === 0 && source.is('%')) this.#fetchDirective();
    else if (source.isAtDocumentSign()) this.#fetchDocumentSign();
    else return false;
    return true;
  }

  /** What begins, ends and parts collections. */
  #fetchSign(): boolean {
    const source = this.#source;
    const inFlow = this.#flowLevel > 0;
    const isAlone = isBlankOrEnd(source.code(1));
    if (source.is('[')) this.#fetchFlowStart('flow-sequence-start');
    else if (source.is('{')) this.#fetchFlowStart('flow-mapping-start');
    else if (source.is(']')) this.#fetchFlowEnd('flow-sequence-end');
    else if (source.is('}')) this.#fetchFlowEnd('flow-mapping-end');
    else if (source.is(',')) this.#fetchFlowEntry();
    else if (source.is('-') && isAlone) this.#fetchBlockEntry();
    else if (source.is('?') && (inFlow || isAlone)) this.#fetchKey();
    else if (source.is(':') && (inFlow || isAlone)) this.#fetchValue();
    else return false;
    return true;
  }

  /** What stands before a node, or for one. */
  #fetchWord(): boolean {
    const source = this.#source;
    const {line} = source;
    if (!source.is('*') && !source.is('&') && !source.is('!')) return false;
    this.#saveKey();
    this.#keyAllowed = false;
    if (source.is('!')) this.#add({type: 'tag', tag: scanTag(source), line});
    else this.#add({type: source.is('*') ? 'alias' : 'anchor', name: scanAnchor(source), line});
    return true;
  }

  #fetchScalar(): boolean {
    const source = this.#source;
    const {line} = source;
    const inFlow = this.#flowLevel > 0;
    if ((source.is('|') || source.is('>')) && !inFlow) {
      this.#dropKey();
      this.#keyAllowed = true;
      this.#add({type: 'scalar', value: scanBlockScalar(source, this.#indent), isPlain: false, line});
      return true;
    }
    const isQuoted = source.is("'") || source.is('"');
    if (!isQuoted && !startsPlain(source, inFlow)) return false;
    this.#saveKey();
    this.#keyAllowed = false;
    if (isQuoted) this.#add({type: 'scalar', value: scanQuotedScalar(source), isPlain: false, line});
    else {
      const {value, endsLine} = scanPlainScalar(source, this.#indent, inFlow);
      if (endsLine) this.#keyAllowed = true;
      this.#add({type: 'scalar', value, isPlain: true, line});
    }
    return true;
  }

  /** Spaces, comments and line breaks; tabs only where no key may begin. */
  #skipToToken(): void {
    const source = this.#source;
    for (;;) {
      while (source.is(' ') || ((this.#flowLevel > 0 || !this.#keyAllowed) && source.is('\t'))) source.skip();
      source.skipComment();
      if (!isBreak(source.code())) return;
      source.readBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  #fetchEnd(): void {
    this.#source.endLine();
    this.#resetLine();
    this.#ended = true;
    this.#add({type: 'stream-end', line: this.#source.line});
  }

  #fetchDirective(): void {
    const {line} = this.#source;
    this.#resetLine();
    this.#add({type: 'directive', directive: scanDirective(this.#source), line});
  }

  #fetchDocumentSign(): void {
    const {line} = this.#source;
    this.#resetLine();
    const type = this.#source.is('-') ? 'document-start' : 'document-end';
    this.#source.skip(3);
    this.#add({type, line});
  }

  /** All block collections end. */
  #resetLine(): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
  }

  #fetchFlowStart(type: TokenType): void {
    this.#saveKey();
    this.#keys.push({possible: false, required: false, token: this.#nextToken(), mark: this.#source.mark()});
    this.#flowLevel++;
    if (this.#flowLevel > DEPTH_MAX) throw scannerFault(this.#source.line, `exceeded max depth of ${DEPTH_MAX}`);
    this.#keyAllowed = true;
    this.#addSign(type);
  }

  #fetchFlowEnd(type: TokenType): void {
    this.#dropKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      const key = this.#keys.pop();
      if (key !== undefined) this.#keyOfToken.delete(key.token);
    }
    this.#keyAllowed = false;
    this.#addSign(type);
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.#keyAllowed = true;
    this.#addSign('flow-entry');
  }

  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed('block sequence entries are not allowed in this context');
      this.#roll(this.#source.mark(), 'block-sequence-start');
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#addSign('block-entry');
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      this.#requireKeyAllowed('mapping keys are not allowed in this context');
      this.#roll(this.#source.mark(), 'block-mapping-start');
    }
    this.#dropKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#addSign('key');
  }

  #fetchValue(): void {
    const key = this.#keys.at(-1) as SimpleKey;
    if (this.#isValid(key)) {
      const {line} = key.mark;
      this.#insert(key.token, {type: 'key', line, endLine: line});
      this.#roll(key.mark, 'block-mapping-start', key.token);
      key.possible = false;
      this.#keyOfToken.delete(key.token);
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        this.#requireKeyAllowed('mapping values are not allowed in this context');
        this.#roll(this.#source.mark(), 'block-mapping-start');
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#addSign('value');
  }

  #requireKeyAllowed(problem: string): void {
    if (!this.#keyAllowed) throw scannerFault(this.#source.line, problem);
  }

  #nextToken(): number {
    return this.#taken + (this.#queue.length - this.#head);
  }

  #isValid(key: SimpleKey): boolean {
    if (!key.possible) return false;
    const {line, index} = this.#source;
    if (key.mark.line >= line && key.mark.index + SIMPLE_KEY_MAX >= index) return true;
    this.#refuseRequired(key);
    key.possible = false;
    return false;
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const {column} = this.#source;
    const required = this.#flowLevel === 0 && this.#indent === column;
    const key = {possible: true, required, token: this.#nextToken(), mark: this.#source.mark()};
    this.#dropKey();
    this.#keys[this.#keys.length - 1] = key;
    this.#keyOfToken.set(key.token, key);
  }

  #dropKey(): void {
    const key = this.#keys.at(-1);
    if (key?.possible !== true) return;
    this.#refuseRequired(key);
    key.possible = false;
    this.#keyOfToken.delete(key.token);
  }

  #refuseRequired(key: SimpleKey): void {
    if (key.required) throw scannerFault(this.#source.line, "could not find expected ':'");
  }

  /** Begins a block collection, where the column is beyond the one around. */
  #roll(mark: Mark, type: TokenType, token?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= mark.column) return;
    this.#indents.push(this.#indent);
    this.#indent = mark.column;
    if (this.#indents.length > DEPTH_MAX) throw scannerFault(this.#source.line, `exceeded max depth of ${DEPTH_MAX}`);
    this.#insert(token ?? this.#nextToken(), {type, line: mark.line, endLine: mark.line});
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#add({type: 'block-end', line: this.#source.line});
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  /** A token of one character. */
  #addSign(type: TokenType): void {
    const {line} = this.#source;
    this.#source.skip();
    this.#add({type, line});
  }

  #add(token: Unplaced): void {
    this.#queue.push({...token, endLine: this.#source.line} as Token);
  }

  /** Before the token of that number; behind all, when that one was taken already. */
  #insert(token: number, added: Token): void {
    const at = token - this.#taken;
    this.#queue.splice(at < 0 ? this.#queue.length : this.#head + at, 0, added);
  }
}

type Unplaced = Token extends infer T ? (T extends Token ? Omit<T, 'endLine'> : never) : never;
