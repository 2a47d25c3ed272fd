// SPDX-License-Identifier: Apache-2.0
/** How large a folder, a file and a function may be. */
import {posix} from 'node:path';
import ts from 'typescript';
import {expect, test} from 'vitest';
import {faultsOf, production, read, sources} from './source-files.ts';

const FOLDER_FILES_MAX = 20;
const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
/** Rows of data, which are read by searching. */
const TABLE = /-(table|names|list|data)\.ts$/;

test(`a folder has at most ${FOLDER_FILES_MAX} source files, tests aside`, () => {
  const folders = Map.groupBy(production, path => posix.dirname(path));
  const full = [...folders].filter(([, files]) => files.length > FOLDER_FILES_MAX);
  expect(full.map(([path, {length}]) => `${path}: ${length} files; group them by what they are for`)).toEqual([]);
});

test(`a file has at most ${FILE_LINES_MAX} lines`, () => {
  const files = sources.filter(path => !/\.test\.tsx?$/.test(path) && !TABLE.test(path));
  const faults = faultsOf(files, path => {
    const lines = read(path).split('\n').length - 1;
    return lines > FILE_LINES_MAX ? [`${lines} lines; split it by responsibility`] : [];
  });
  expect(faults).toEqual([]);
});

/** Functions that are too long, with the line they begin in. A nested function counts as a part of its parent. */
const longFunctions = (path: string): string[] => {
  const file = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const start = lineAt(node.getStart());
      const lines = lineAt(node.getEnd()) - start + 1;
      if (lines > FUNCTION_LINES_MAX) found.push(`function in line ${start} has ${lines} lines; take a step out of it`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

test(`a function has at most ${FUNCTION_LINES_MAX} lines`, () => {
  expect(faultsOf(production, longFunctions)).toEqual([]);
});
