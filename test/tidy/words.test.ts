// SPDX-License-Identifier: Apache-2.0
/** Plain English in what users read: no banned words in string literals of what we ship, in make and shell output, in docs. */
import ts from 'typescript';
import {describe, expect, test} from 'vitest';
import {production, read, tracked} from './source-files.ts';

/** Where a text or a sentence begins. */
const START = String.raw`(?:^[\s"'\`}#>*|-]*|\. )`;
/** Prepositions, behind which a clause with `who` or `what` has no head. */
const PREPOSITION = String.raw`\b(?:of|from|to|by|for|with|against|without|beside|besides|behind|before|after) `;
const NO_QUESTION = String.raw`(?![^.!?]*\?)`;

type Banned = {readonly words: RegExp; readonly instead: string};

const BANNED: readonly Banned[] = [
  {words: /\btold\b/gi, instead: 'reported, printed, logged, listed; to be told: see, get, learn'},
  {words: /\banew\b/gi, instead: 'again; create again, rebuild, replace'},
  {words: /\bof before\b/gi, instead: 'previous, last'},
  {words: /\b(?:is|are|was|were|be) none\b/g, instead: 'there is no X; X was not found; if X does not exist'},
  {words: /\bthere (?:is|are) that\b/gi, instead: 'existing X; X that exist'},
  {words: /\ball the same\b/gi, instead: 'anyway, still; skip the check'},
  {words: /\bpass(?:ed|es|ing)? over\b/gi, instead: 'skipped, ignored'},
  {words: /\bstands\b(?! for\b)/gi, instead: 'remains, is, is written'},
  {words: /\bwho(?:m|se)?ever\b/gi, instead: 'any user, any client, the program that'},
  {
    words: new RegExp(`(?:${START}|${PREPOSITION})who\\b${NO_QUESTION}`, 'gi'),
    instead: 'name the person: users who, a client that',
  },
  {
    words: new RegExp(`${PREPOSITION}what\\b${NO_QUESTION}`, 'gi'),
    instead: 'name the thing: objects that, the text that',
  },
  {words: /\bwhat (?:is|was) (?:really |still |already )?there\b/gi, instead: 'existing X, the real X'},
];

/** Texts of others, word for word. `text` is a part of the line; `source` says whose it is. */
const ALLOWED: readonly {readonly path: string; readonly text: string; readonly source: string}[] = [
  {path: 'docs/requirements.md', text: 'from what kube-apiserver', source: 'the acceptance list of the specifications'},
  {path: 'docs/requirements.md', text: '| X-001', source: 'the acceptance list of the specifications'},
];

/** Characters that a finding shows behind the banned words. */
const CONTEXT = 30;

type Piece = {readonly line: number; readonly text: string};

/** Each literal as it is written, with its quotes; a template in pieces, without its expressions. */
const literalsOf = (path: string): Piece[] => {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const found: Piece[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const {line} = file.getLineAndCharacterOfPosition(node.getStart(file));
      const lines = node
        .getText(file)
        .replaceAll(/\\[nrt]/g, '  ')
        .split('\n');
      found.push(...lines.map((text, at) => ({line: line + at + 1, text})));
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

const linesOf = (path: string): Piece[] =>
  read(path)
    .split('\n')
    .map((text, at) => ({line: at + 1, text}));

const foundIn = (text: string): {readonly found: string; readonly instead: string}[] =>
  BANNED.flatMap(({words, instead}) =>
    [...text.matchAll(words)].map(({index, 0: match}) => ({
      found: text.slice(index, index + match.length + CONTEXT).trim(),
      instead,
    })),
  );

const isAllowed = (path: string, text: string): boolean =>
  ALLOWED.some(allowed => allowed.path === path && text.includes(allowed.text));

const findings = (paths: readonly string[], piecesOf: (path: string) => readonly Piece[]): string[] =>
  paths.flatMap(path =>
    piecesOf(path)
      .filter(({text}) => !isAllowed(path, text))
      .flatMap(({line, text}) =>
        foundIn(text).map(({found, instead}) => `${path}:${line}: "${found}"; write instead: ${instead}`),
      ),
  );

describe('banned words are absent', () => {
  test('from string literals of the packages and tools', () => {
    const tools = tracked.filter(path => /^(?:tools|bench)\/.*\.ts$/.test(path));
    expect(findings([...production, ...tools], literalsOf)).toEqual([]);
  });

  test('from the Makefile, shell scripts and docs', () => {
    const documents = /^(?:README|ARCHITECTURE|CONTRIBUTING|CHANGELOG)\.md$|^docs\/.*\.md$|^Makefile$|^tools\/.*\.sh$/;
    expect(
      findings(
        tracked.filter(path => documents.test(path)),
        linesOf,
      ),
    ).toEqual([]);
  });
});

test('every allowed text still exists', () => {
  expect(ALLOWED.filter(({path, text}) => !read(path).includes(text))).toEqual([]);
});

test.each([
  'the user is told',
  'bring the file anew',
  'the rule set of before',
  'when there is none of this name',
  'the objects there are that block it',
  'do it all the same',
  'the document is passed over',
  'the old set stands',
  'whoever sent it',
  'who holds an object',
  'a connection of who shows no credential',
  'a set of what has parts',
  'take what is there into the state',
])('banned: %s', text => {
  expect(foundIn(`'${text}'`)).toHaveLength(1);
});

test.each([
  'clients that see no change',
  'sid stands for the id of a rule',
  'x = None if x is None else y',
  'see who owns a field, and what to do',
  'Who may read it?',
])('plain: %s', text => {
  expect(foundIn(text)).toEqual([]);
});
