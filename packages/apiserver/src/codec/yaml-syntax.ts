// SPDX-License-Identifier: Apache-2.0
/**
 * Syntax errors of the `yaml` package in the words of libyaml, which users of Kubernetes know. libyaml names the line
 * where its scanner stopped, but one line less where its parser did, and none at all for the first.
 */
import type {LineCounter, YAMLError} from 'yaml';

type Stage = 'scanner' | 'parser';
type Problem = {readonly text: string; readonly stage: Stage};

const scanner = (text: string): Problem => ({text, stage: 'scanner'});
const parser = (text: string): Problem => ({text, stage: 'parser'});

const MAPPING_VALUES = scanner('mapping values are not allowed in this context');
const EXPECTED_KEY = parser('did not find expected key');
const NODE_CONTENT = parser('did not find expected node content');

/** First match wins: the code, what the message says, what libyaml says. */
const PROBLEMS: readonly (readonly [code: string, message: RegExp, problem: Problem])[] = [
  ['BAD_INDENT', /end with a \]/, parser("did not find expected ',' or ']'")],
  ['BAD_INDENT', /end with a \}/, parser("did not find expected ',' or '}'")],
  ['MISSING_CHAR', /end with a \]/, parser("did not find expected ',' or ']'")],
  ['MISSING_CHAR', /end with a \}/, parser("did not find expected ',' or '}'")],
  ['MISSING_CHAR', /Missing closing/, scanner('found unexpected end of stream')],
  ['UNEXPECTED_TOKEN', /block-seq-ind/, scanner('block sequence entries are not allowed in this context')],
  ['UNEXPECTED_TOKEN', /Block scalar header/, scanner('did not find expected comment or line break')],
  ['UNEXPECTED_TOKEN', /at node end/, EXPECTED_KEY],
  ['UNEXPECTED_TOKEN', /./, NODE_CONTENT],
  ['BAD_DQ_ESCAPE', /\\[xuU]/, scanner('did not find expected hexdecimal number')],
  ['BAD_DQ_ESCAPE', /./, scanner('found unknown escape character')],
  ['BAD_ALIAS', /./, scanner('did not find expected alphabetic or numeric character')],
  ['BAD_DIRECTIVE', /./, scanner('found unknown directive name')],
  ['BAD_SCALAR_START', /./, scanner('found character that cannot start any token')],
  ['TAB_AS_INDENT', /./, scanner('found character that cannot start any token')],
  ['BLOCK_AS_IMPLICIT_KEY', /./, MAPPING_VALUES],
  ['KEY_OVER_1024_CHARS', /./, scanner("could not find expected ':'")],
  ['TAG_RESOLVE_FAILED', /./, scanner('did not find expected tag URI')],
];

/** `line 2: mapping values are not allowed in this context`. */
export function syntaxErrorText(errors: readonly YAMLError[], text: string, lines: LineCounter): string {
  const first = errors[0];
  if (first === undefined) throw new Error('no error to name');
  const {line} = lines.linePos(first.pos[0]);
  const rest = text.slice(first.pos[0]);
  if (errors.some(e => e.code === 'MULTILINE_IMPLICIT_KEY')) {
    // The key began on this line; the colon that libyaml stumbles over is on a later one.
    if (rest.startsWith('- ')) return at(EXPECTED_KEY, line);
    return at(MAPPING_VALUES, line + Math.max(1, rest.slice(0, rest.indexOf(':')).split('\n').length - 1));
  }
  if (isCutOff(first, text)) return at(NODE_CONTENT, lines.linePos(text.length).line + (text.endsWith('\n') ? 0 : 1));
  return at(problemOf(first, rest, text), line);
}

/** The text ends inside of brackets, where something had to follow. */
function isCutOff({code, message}: YAMLError, text: string): boolean {
  if (!/end with a [\]}]/.test(message) || (code !== 'BAD_INDENT' && code !== 'MISSING_CHAR')) return false;
  return /[[{,:]\s*$/.test(text);
}

function problemOf(error: YAMLError, rest: string, text: string): Problem {
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY' && /^\?\s/.test(rest)) {
    return scanner('mapping keys are not allowed in this context');
  }
  const found = PROBLEMS.find(([code, message]) => code === error.code && message.test(error.message))?.[2];
  if (found === EXPECTED_KEY && /^\s*-\s/.test(text)) return parser("did not find expected '-' indicator");
  return found ?? EXPECTED_KEY;
}

function at({text, stage}: Problem, line: number): string {
  const shown = stage === 'scanner' ? line : line - 1;
  return shown <= (stage === 'scanner' ? 1 : 0) ? text : `line ${shown}: ${text}`;
}
