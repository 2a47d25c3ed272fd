// SPDX-License-Identifier: Apache-2.0
/** What is wrong with the YAML of a user: one line per fault, `LINE:COLUMN: what: way out`. Codes are those of the package `yaml`. */
import {type Document, Lexer, LineCounter, Parser, visit, type YAMLError} from 'yaml';

type Code = YAMLError['code'];
type Fault = {readonly at: number; readonly what: string; readonly code: Code};

const WAYS_OUT: {readonly [code in Code]?: string} = {
  BAD_ALIAS: 'define the anchor before it, or write a text that begins with * in quotes',
  BAD_DQ_ESCAPE: 'write \\\\ for a backslash, or use single quotes',
  BAD_INDENT: 'indent it further than the key, and close every bracket',
  BAD_SCALAR_START: 'write the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'indent the lines of one mapping alike, and write a text with ": " in it in quotes',
  DUPLICATE_KEY: 'keep one of them',
  MISSING_CHAR: 'add it, or indent the line as those it belongs to',
  MULTILINE_IMPLICIT_KEY: 'write the key and its ":" on one line, indented like the other keys',
  MULTIPLE_DOCS: 'keep one document, without "---" between',
  TAB_AS_INDENT: 'use spaces',
  TAG_RESOLVE_FAILED: 'remove the tag',
  UNEXPECTED_TOKEN: 'remove it, or write the text in quotes',
};

/** Where the package names its own functions. */
const WORDS: {readonly [code in Code]?: string} = {
  MULTIPLE_DOCS: 'a second document begins here, but only one is read',
};

const syntaxFaults = ({errors}: Document): Fault[] =>
  errors.map(({pos: [at], code, message}) => ({at, code, what: WORDS[code] ?? message}));

/** The package reports these only when the value is made, and without a position. */
const aliasFaults = (document: Document): Fault[] => {
  const faults: Fault[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined)
        faults.push({at: alias.range?.[0] ?? 0, code: 'BAD_ALIAS', what: `Alias *${alias.source} without its anchor`});
    },
  });
  return faults;
};

/** What the parser of the package holds while it reads; a text that nests further takes a lot of memory, and then fails. */
const DEPTH_MAX = 500;

/** The fault of a text that is nested too deeply to be parsed; undefined for every other text. */
export const depthFault = (text: string): string | undefined => {
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)); // what is parsed does not matter here
    if (parser.stack.length <= DEPTH_MAX) continue;
    const {line, col} = lines.linePos(parser.offset);
    return `${line}:${col}: lists and mappings are nested too deeply: nest them less`;
  }
  return undefined;
};

/** Of documents parsed with `prettyErrors: false` and this counter. Of the faults of a line the first one: the others follow from it. */
export const yamlFaults = (documents: readonly Document[], lines: LineCounter): string[] => {
  const found = new Map<number, string>();
  for (const {at, what, code} of documents.flatMap(one => [...syntaxFaults(one), ...aliasFaults(one)])) {
    const {line, col} = lines.linePos(at);
    if (!found.has(line)) found.set(line, `${line}:${col}: ${what}: ${WAYS_OUT[code] ?? 'write valid YAML or JSON'}`);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, text]) => text);
};
