// SPDX-License-Identifier: Apache-2.0
/**
 * The tree of the first document of a YAML text, read by the `yaml` package. What a scalar means is decided elsewhere
 * (`resolveScalar`). Ref: go.yaml.in/yaml/v2 v2.4.3 decode.go, parser.
 */
import {isUtf8} from 'node:buffer';
import {Composer, type CST, isAlias, isMap, isPair, isScalar, Lexer, LineCounter, type ParsedNode, Parser} from 'yaml';
import {DecodeError} from '../codec/decode-error.ts';

/** `line` counts from 1. */
export type YamlNode = YamlScalar | YamlAlias | YamlCollection;
export type YamlScalar = {
  readonly kind: 'scalar';
  readonly line: number;
  /** Empty without a tag. */
  readonly tag: string;
  readonly value: string;
  readonly isPlain: boolean;
};
export type YamlAlias = {
  readonly kind: 'alias';
  readonly line: number;
  readonly name: string;
  readonly target: YamlNode;
};
export type YamlCollection = {
  readonly kind: 'sequence' | 'mapping';
  readonly line: number;
  /** Of a mapping: keys and values in turn. */
  readonly children: readonly YamlNode[];
};

/** Collections within collections: the package, and what follows it, recurse over them. */
export const DEPTH_MAX = 500;
/** Words, signs, blanks and line breaks. They bound the time and memory that one body takes (ADR 0013). */
const LEXEMES_MAX = 1_000_000;
const MESSAGE_LENGTH_MAX = 200;

/** `line` counts from 1. */
export const yamlFault = (line: number, problem: string): DecodeError =>
  new DecodeError(`yaml: line ${line}: ${problem}`);

/** `undefined` for an empty text. Throws DecodeError. */
export function composeYaml(bytes: Uint8Array): YamlNode | undefined {
  const reader = new DocumentReader();
  const contents = reader.read(textOf(bytes));
  return contents === null ? undefined : new Tree(reader.lines).node(contents);
}

const BYTE_ORDER_MARKS = /^\ufeff{1,2}/;
const CONTROL = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const BREAKS = /\r\n?|\x85/g;
/** Line breaks of YAML 1.1 that stay in a scalar. The package does not know them. */
const SEPARATORS = /(?<![ \t])[ \t]*([\u2028\u2029])[ \t]*/g;

/** The characters, with `\n` for a line break and no blanks around the other separators. */
function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new DecodeError('yaml: invalid UTF-8');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().replace(BYTE_ORDER_MARKS, '');
  if (CONTROL.test(text)) throw new DecodeError('yaml: control characters are not allowed');
  return text.replace(BREAKS, '\n').replace(SEPARATORS, '$1');
}

/** In double quotes, go-yaml refuses the escape of a slash and that of half of a surrogate pair. */
const REFUSED_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:\/|u[dD][89a-fA-F]|U0000[dD][89a-fA-F])/;

type Place = number | readonly [number, ...number[]] | {readonly offset: number};

class DocumentReader {
  readonly lines = new LineCounter();
  readonly #parser = new Parser(this.lines.addNewLine);
  #isRead = false;
  #fault: DecodeError | undefined;

  /** The root of the first document, or null if the text is empty. The reader stops behind it. */
  read(text: string): ParsedNode | null {
    const composer = new Composer({
      version: '1.1',
      schema: 'failsafe',
      uniqueKeys: false,
      strict: false,
      keepSourceTokens: true,
    });
    // The package would collect errors, of which a hostile text has millions.
    Object.assign(composer, {onError: this.#onError});
    for (const token of this.#tokens(text)) {
      if (token.type === 'error') throw this.#faultAt(token.offset, token.message);
      composer.next(token).next();
      this.#isRead ||= token.type === 'document';
    }
    const [document] = composer.end(true, text.length);
    if (document === undefined) return null;
    const [error] = document.errors;
    if (error !== undefined) throw this.#faultAt(error.pos[0], error.message);
    const {explicit, version} = document.directives.yaml;
    if (explicit === true && version !== '1.1') throw yamlFault(1, `version ${version} is not supported`);
    return document.contents;
  }

  *#tokens(text: string): Generator<CST.Token> {
    this.lines.addNewLine(0);
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(text)) {
      if (lexeme.startsWith('"') && REFUSED_ESCAPE.test(lexeme)) {
        throw this.#faultAt(this.#parser.offset, 'escapes of a slash or a surrogate are not allowed');
      }
      if (this.#isPastRoot(lexeme)) break;
      yield* this.#parser.next(lexeme);
      if (this.#isRead) return;
      if (this.#parser.stack.length > DEPTH_MAX) {
        throw this.#faultAt(this.#parser.offset, `exceeded max depth of ${DEPTH_MAX}`);
      }
      if (++lexemes > LEXEMES_MAX) throw this.#faultAt(this.#parser.offset, `more than ${LEXEMES_MAX} tokens`);
    }
    yield* this.#parser.end();
  }

  /** As go-yaml, which ends with the bracket that closes the root, unless that is a key. */
  #isPastRoot(lexeme: string): boolean {
    const {stack} = this.#parser;
    const root = stack[1];
    if (stack.length !== 2 || root?.type !== 'flow-collection' || root.end.length === 0) return false;
    return !/^[ \t:]/.test(lexeme);
  }

  readonly #onError = (place: Place, _code: string, problem: string, isWarning = false): void => {
    if (isWarning) return;
    throw this.#faultAt(typeof place === 'number' ? place : 'offset' in place ? place.offset : place[0], problem);
  };

  /** The first one counts: the package catches what is thrown within a collection and reports it for the collection. */
  #faultAt(offset: number, problem: string): DecodeError {
    this.#fault ??= yamlFault(this.lines.linePos(offset).line, problem.slice(0, MESSAGE_LENGTH_MAX));
    return this.#fault;
  }
}

class Tree {
  readonly #lines: LineCounter;
  readonly #anchors = new Map<string, YamlNode>();

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  node(parsed: ParsedNode): YamlNode {
    const {line} = this.#lines.linePos(parsed.range[0]);
    if (isAlias(parsed)) return this.#alias(parsed.source, line);
    if (isScalar(parsed)) {
      const {tag = '', source: value = '', type} = parsed;
      return this.#named(parsed.anchor, {kind: 'scalar', line, tag, value, isPlain: tag === '' && type === 'PLAIN'});
    }
    const children: YamlNode[] = [];
    const collection = this.#named(parsed.anchor, {kind: isMap(parsed) ? 'mapping' : 'sequence', line, children});
    for (const item of parsed.items) {
      if (!isPair(item)) {
        children.push(this.node(item));
        continue;
      }
      // The package drops what follows `? key` without a colon.
      const dropped = item.value === null ? item.srcToken?.value : undefined;
      if (dropped != null) throw yamlFault(this.#lines.linePos(dropped.offset).line, "could not find expected ':'");
      children.push(this.node(item.key), item.value === null ? {...NOTHING, line} : this.node(item.value));
    }
    return collection;
  }

  #named<T extends YamlNode>(anchor: string | undefined, node: T): T {
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return node;
  }

  #alias(name: string, line: number): YamlAlias {
    const target = this.#anchors.get(name);
    if (target === undefined) throw yamlFault(line, `unknown anchor '${name}' referenced`);
    return {kind: 'alias', line, name, target};
  }
}

const NOTHING = {kind: 'scalar', tag: '', value: '', isPlain: true} as const;
