// SPDX-License-Identifier: Apache-2.0
/**
 * YAML tokens into events, up to the end of the first document. What is behind it is looked at only as far as the
 * scanner needs it. Ref: go.yaml.in/yaml/v2 v2.4.3 parserc.go.
 */
import {parserFault} from './fault.ts';
import type {Token, TokenType, YamlScanner} from './scanner.ts';
import type {Tag} from './words.ts';

/** Lines count from 0. */
export type NodeEvent =
  | {readonly type: 'alias'; readonly line: number; readonly name: string}
  | {readonly type: 'sequence-start' | 'mapping-start'; readonly line: number; readonly anchor: string | undefined}
  | {
      readonly type: 'scalar';
      readonly line: number;
      readonly anchor: string | undefined;
      /** Empty for none. */
      readonly tag: string;
      readonly value: string;
      /** Not quoted and without a tag: the text decides what it is. */
      readonly isPlain: boolean;
    };
/** `close` ends the innermost collection, `end` the document. */
export type Event =
  | NodeEvent
  | {readonly type: 'close'; readonly line: number}
  | {readonly type: 'end'; readonly line: number};

type State = () => Event;

const DEFAULT_TAGS: readonly (readonly [handle: string, prefix: string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
];
const NOTHING: readonly Token['type'][] = ['directive', 'document-start', 'document-end', 'stream-end'];

export class YamlParser {
  readonly #scanner: YamlScanner;
  #state: State = () => this.#documentStart();
  /** What is to do when the node that is read ends. */
  readonly #states: State[] = [];
  readonly #tags = new Map<string, string>();

  constructor(scanner: YamlScanner) {
    this.#scanner = scanner;
  }

  next(): Event {
    return this.#state();
  }

  #peekNext(): Token {
    this.#scanner.take();
    return this.#scanner.peek();
  }

  #documentStart(): Event {
    let token = this.#scanner.peek();
    const isExplicit = token.type === 'directive' || token.type === 'document-start';
    if (token.type === 'stream-end') return this.#end(token);
    token = this.#processDirectives(token);
    this.#states.push(() => this.#documentEnd());
    if (!isExplicit) return this.#node(true, false);
    if (token.type !== 'document-start') throw parserFault(token.line, 'did not find expected <document start>');
    token = this.#peekNext();
    return NOTHING.includes(token.type) ? this.#empty(token.line, this.#popState()) : this.#node(true, false);
  }

  #documentEnd(): Event {
    return this.#end(this.#scanner.peek());
  }

  #end({line}: Token): Event {
    this.#state = () => ({type: 'end', line});
    return this.#state();
  }

  /** Gives the token behind them. */
  #processDirectives(first: Token): Token {
    let token = first;
    let hasVersion = false;
    while (token.type === 'directive') {
      const {directive, line} = token;
      if (directive.name === 'YAML') {
        if (hasVersion) throw parserFault(line, 'found duplicate %YAML directive');
        if (directive.version !== '1.1') throw parserFault(line, 'found incompatible YAML document');
        hasVersion = true;
      } else {
        if (this.#tags.has(directive.handle)) throw parserFault(line, 'found duplicate %TAG directive');
        this.#tags.set(directive.handle, directive.prefix);
      }
      token = this.#peekNext();
    }
    for (const [handle, prefix] of DEFAULT_TAGS) if (!this.#tags.has(handle)) this.#tags.set(handle, prefix);
    return token;
  }

  /** `isBlock`: block collections may stand here; `mayDash`: so may a sequence that is not indented. */
  #node(isBlock: boolean, mayDash: boolean): Event {
    let token = this.#scanner.peek();
    if (token.type === 'alias') {
      const {name, line} = token;
      this.#state = this.#popState();
      this.#scanner.take();
      return {type: 'alias', name, line};
    }
    const {line} = token;
    let anchor: string | undefined;
    let sent: {readonly tag: Tag; readonly line: number} | undefined;
    for (;;) {
      if (token.type === 'anchor' && anchor === undefined) anchor = token.name;
      else if (token.type === 'tag' && sent === undefined) sent = token;
      else break;
      token = this.#peekNext();
    }
    const tag = sent === undefined ? '' : this.#tagOf(sent.tag, sent.line);
    if (mayDash && token.type === 'block-entry') {
      this.#state = () => this.#dashEntry();
      return {type: 'sequence-start', anchor, line};
    }
    if (token.type === 'scalar') {
      const {value} = token;
      this.#state = this.#popState();
      this.#scanner.take();
      return {type: 'scalar', anchor, tag, value, isPlain: tag === '!' || (tag === '' && token.isPlain), line};
    }
    const start = this.#collectionStart(token.type, isBlock);
    if (start !== undefined) {
      this.#scanner.take();
      return {type: start, anchor, line};
    }
    if (anchor === undefined && tag === '') throw parserFault(token.line, 'did not find expected node content');
    this.#state = this.#popState();
    return {type: 'scalar', anchor, tag, value: '', isPlain: tag === '', line};
  }

  #tagOf({handle, suffix}: Tag, line: number): string {
    const prefix = handle === '' ? '' : this.#tags.get(handle);
    if (prefix === undefined || prefix + suffix === '') throw parserFault(line, 'found undefined tag handle');
    return prefix + suffix;
  }

  #collectionStart(type: Token['type'], isBlock: boolean): 'sequence-start' | 'mapping-start' | undefined {
    switch (type) {
      case 'flow-sequence-start':
        this.#state = () => this.#flowEntry(true);
        return 'sequence-start';
      case 'flow-mapping-start':
        this.#state = () => this.#flowKey(true);
        return 'mapping-start';
      case 'block-sequence-start':
        if (!isBlock) return undefined;
        this.#state = () => this.#blockEntry();
        return 'sequence-start';
      case 'block-mapping-start':
        if (!isBlock) return undefined;
        this.#state = () => this.#blockKey();
        return 'mapping-start';
      default:
        return undefined;
    }
  }

  #popState(): State {
    const state = this.#states.pop();
    if (state === undefined) throw new Error('a node without a place');
    return state;
  }

  /** A node that is left out. */
  #empty(line: number, then: State): Event {
    this.#state = then;
    return {type: 'scalar', anchor: undefined, tag: '', value: '', isPlain: true, line};
  }

  /** A node, or nothing when the token behind the sign is one of these. */
  #nodeUnless(types: readonly TokenType[], then: State, node: () => Event, emptyLine: number): Event {
    if ((types as readonly string[]).includes(this.#scanner.peek().type)) return this.#empty(emptyLine, then);
    this.#states.push(then);
    return node();
  }

  #close({line}: Token): Event {
    this.#state = this.#popState();
    return {type: 'close', line};
  }

  #blockEntry(): Event {
    const token = this.#scanner.peek();
    if (token.type === 'block-entry') {
      this.#scanner.take();
      const then = (): Event => this.#blockEntry();
      return this.#nodeUnless(['block-entry', 'block-end'], then, () => this.#node(true, false), token.endLine);
    }
    if (token.type !== 'block-end') throw parserFault(token.line, "did not find expected '-' indicator");
    this.#scanner.take();
    return this.#close(token);
  }

  /** Of a sequence that stands at the level of its key. */
  #dashEntry(): Event {
    const token = this.#scanner.peek();
    if (token.type !== 'block-entry') return this.#close(token);
    this.#scanner.take();
    const then = (): Event => this.#dashEntry();
    const empty = ['block-entry', 'key', 'value', 'block-end'] as const;
    return this.#nodeUnless(empty, then, () => this.#node(true, false), token.endLine);
  }

  #blockKey(): Event {
    const token = this.#scanner.peek();
    if (token.type === 'key') {
      this.#scanner.take();
      const then = (): Event => this.#blockValue();
      return this.#nodeUnless(['key', 'value', 'block-end'], then, () => this.#node(true, true), token.endLine);
    }
    if (token.type !== 'block-end') throw parserFault(token.line, 'did not find expected key');
    this.#scanner.take();
    return this.#close(token);
  }

  #blockValue(): Event {
    const token = this.#scanner.peek();
    const then = (): Event => this.#blockKey();
    if (token.type !== 'value') return this.#empty(token.line, then);
    this.#scanner.take();
    return this.#nodeUnless(['key', 'value', 'block-end'], then, () => this.#node(true, true), token.endLine);
  }

  #flowEntry(isFirst: boolean): Event {
    const token = this.#flowSeparated(isFirst, 'flow-sequence-end', ']');
    if (token.type === 'key') {
      this.#scanner.take();
      this.#state = () => this.#pairKey();
      return {type: 'mapping-start', anchor: undefined, line: token.line};
    }
    if (token.type !== 'flow-sequence-end') {
      this.#states.push(() => this.#flowEntry(false));
      return this.#node(false, false);
    }
    this.#scanner.take();
    return this.#close(token);
  }

  /** The token behind the comma. */
  #flowSeparated(isFirst: boolean, end: TokenType, bracket: string): Token {
    const token = this.#scanner.peek();
    if (isFirst || token.type === end) return token;
    if (token.type !== 'flow-entry') throw parserFault(token.line, `did not find expected ',' or '${bracket}'`);
    return this.#peekNext();
  }

  /** A pair in a sequence: `[a: b]`. */
  #pairKey(): Event {
    const token = this.#scanner.peek();
    const then = (): Event => this.#pairValue();
    if (token.type !== 'value' && token.type !== 'flow-entry' && token.type !== 'flow-sequence-end') {
      this.#states.push(then);
      return this.#node(false, false);
    }
    this.#scanner.take(); // as upstream, which loses the sign here
    return this.#empty(token.endLine, then);
  }

  #pairValue(): Event {
    const token = this.#scanner.peek();
    const then = (): Event => this.#pairEnd();
    if (token.type !== 'value') return this.#empty(token.line, then);
    this.#scanner.take();
    return this.#nodeUnless(['flow-entry', 'flow-sequence-end'], then, () => this.#node(false, false), token.line);
  }

  #pairEnd(): Event {
    this.#state = () => this.#flowEntry(false);
    return {type: 'close', line: this.#scanner.peek().line};
  }

  #flowKey(isFirst: boolean): Event {
    const token = this.#flowSeparated(isFirst, 'flow-mapping-end', '}');
    if (token.type === 'key') {
      const {line} = this.#peekNext();
      const then = (): Event => this.#flowValue();
      return this.#nodeUnless(['value', 'flow-entry', 'flow-mapping-end'], then, () => this.#node(false, false), line);
    }
    if (token.type !== 'flow-mapping-end') {
      this.#states.push(() => this.#flowNoValue());
      return this.#node(false, false);
    }
    this.#scanner.take();
    return this.#close(token);
  }

  #flowValue(): Event {
    const then = (): Event => this.#flowKey(false);
    let token = this.#scanner.peek();
    if (token.type !== 'value') return this.#empty(token.line, then);
    token = this.#peekNext();
    return this.#nodeUnless(['flow-entry', 'flow-mapping-end'], then, () => this.#node(false, false), token.line);
  }

  /** Of a key that no colon follows. */
  #flowNoValue(): Event {
    return this.#empty(this.#scanner.peek().line, () => this.#flowKey(false));
  }
}
